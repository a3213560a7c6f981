/** What QEMU tells about its machine. */

import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createControlReader } from '../../../src/trial/emulation/emulatedTrial.ts';

const event = (name: string, data?: object): string => `${JSON.stringify({ event: name, data })}\r\n`;
const reset = event('RESET', { guest: true, reason: 'guest-reset' });

describe('events of a machine', () => {
  it.each<readonly [string, readonly string[], readonly string[]]>([
    ['a reboot', [reset], ['rebooted']],
    ['a reset by QEMU itself', [event('RESET', { guest: false })], []],
    ['a stop by QEMU itself', [event('STOP')], ['stuck']],
    ['the stop at its end', [event('SHUTDOWN', { guest: true }), event('STOP')], []],
    [
      'in pieces',
      [reset.slice(0, 9), reset.slice(9), reset.slice(0, 30), reset.slice(30)],
      ['rebooted', 'rebooted'],
    ],
    ['answers and others', ['{"return": {}}\n', event('RTC_CHANGE', { offset: 1 }), '\n'], []],
    ['what is none', ['[1]\nnull\n"RESET"\n{"event": ["RESET"]}\n{"event": "RESET", "data": 1}\n}{\n'], []],
  ])('%s', (_title, parts, signs) => {
    const read = createControlReader();
    expect(parts.flatMap((part) => read(part))).toEqual(signs);
  });

  it('whatever comes', () => {
    fc.assert(
      fc.property(fc.array(fc.string()), (parts) => {
        const read = createControlReader();
        for (const part of parts) expect(read(part)).toBeInstanceOf(Array);
      }),
    );
  });
});
