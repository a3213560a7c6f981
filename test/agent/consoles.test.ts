/** Consoles as the kernel has them: which become units. */

import { assert, property, stringMatching } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseSerialConsole } from '../../src/agent/login.ts';
import { FormatError } from '../../src/core/errors.ts';

/** Empty where there is none, or the text is refused. */
function deviceOf(text: string): string {
  try {
    return parseSerialConsole(text) ?? '';
  } catch (error) {
    if (error instanceof FormatError) return '';
    throw error;
  }
}

describe('parseConsole', () => {
  it.each([
    ['ttyS0', 'ttyS0'],
    ['ttyS1,115200n8', 'ttyS1'],
    ['ttyAMA0', 'ttyAMA0'],
    ['hvc0', 'hvc0'],
    ['tty0', undefined],
    ['tty', undefined],
    ['ttynull', undefined],
    ['uart8250,io,0x3f8,9600', undefined],
  ])('%s: %s', (text, device) => expect(parseSerialConsole(text)).toBe(device));

  it.each(['', 'tty S0', '/dev/ttyS0', 'console=ttyS0', 'ttyS0,fast', 'ttyS', '../x'])('refuses %j', (text) =>
    expect(() => parseSerialConsole(text)).toThrow(FormatError),
  );

  it('gives names of units only', () =>
    assert(
      property(stringMatching(/^(?:tty|hvc|uart)[ -~]{0,12}$/), (text) => {
        expect(deviceOf(text)).toMatch(/^(?:|(?:tty[A-Za-z]+|hvc)[0-9]+)$/);
      }),
    ));
});
