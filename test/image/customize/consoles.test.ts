import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FormatError } from '../../../src/core/errors.ts';
import { consoleNote, parseConsole } from '../../../src/image/customize/installerConsole.ts';

/** Undefined where all is well. */
const problemOf = (text: string): unknown => {
  const parsed = parseConsole(text);
  if (parsed instanceof FormatError) return undefined;
  return parseConsole(parsed) === parsed ? undefined : text;
};

describe('parseConsole', () => {
  it.each([
    ['tty0', 'tty0'],
    ['hvc0', 'hvc0'],
    ['ttysclp0', 'ttysclp0'],
    ['ttyS0', 'ttyS0,9600n8'],
    ['ttyAMA255', 'ttyAMA255,9600n8'],
    ['ttyS1,115200', 'ttyS1,115200n8'],
    ['ttyS1,115200e', 'ttyS1,115200e8'],
    ['ttyS1,4294967295o5', 'ttyS1,4294967295o5'],
    ['ttyS007,0300n7', 'ttyS7,300n7'],
  ])('%s is %s', (spec, expected) => {
    expect(parseConsole(spec)).toBe(expected);
  });

  it.each([
    ['', 'invalid or unsupported console argument'],
    ['foo', 'invalid or unsupported console argument'],
    ['tty1', 'invalid or unsupported console argument'],
    ['ttyS', 'invalid or unsupported console argument'],
    ['ttyS0,', 'invalid or unsupported console argument'],
    ['ttyS0,115200p8', 'invalid or unsupported console argument'],
    ['ttyS0,115200n4', 'invalid or unsupported console argument'],
    ['ttyS0,115200n8r', 'invalid or unsupported console argument'],
    ['ttyS0\n', 'invalid or unsupported console argument'],
    ['console=ttyS0', 'spec should not start with "console="'],
    ['/dev/ttyS0', 'spec should not start with "/dev/"'],
    ['ttyS256', "couldn't parse port"],
    ['ttyS0,4294967296', "couldn't parse speed"],
  ])('refuses %j', (spec, message) => {
    expect(parseConsole(spec)).toBeInstanceOf(FormatError);
    expect(parseConsole(spec)).toMatchObject({ message });
  });

  it('gives what it takes for what it means', () => {
    const serial = fc
      .tuple(
        fc.constantFrom('ttyS', 'ttyAMA'),
        fc.nat(255),
        fc.nat(),
        fc.constantFrom('n', 'o', 'e'),
        fc.integer({ min: 5, max: 8 }),
      )
      .map(([device, port, speed, parity, bits]) => `${device}${port},${speed}${parity}${bits}`);
    fc.assert(
      fc.property(serial, (spec) => {
        expect(parseConsole(spec)).toBe(spec);
      }),
    );
  });

  it('gives nothing but FormatErrors', () => {
    const spec = fc.oneof(fc.string(), fc.stringMatching(/^tty(S|AMA)[0-9]{0,12},?[0-9]{0,14}[noe]?[0-9]?$/));
    fc.assert(
      fc.property(spec, (text) => {
        expect(problemOf(text)).toBeUndefined();
      }),
    );
  });
});

describe('consoleNote', () => {
  it.each<[string, string[], string | undefined]>([
    ['no arguments', [], undefined],
    ['no console', ['quiet', 'xconsole=ttyS0'], undefined],
    ['a console that is not known', ['console=ttyS0', 'console=ttyUSB0'], undefined],
    [
      'consoles',
      ['console=ttyS0', 'quiet', 'console=tty0'],
      'Note: consider using "--dest-console ttyS0 --dest-console tty0" instead of "--dest-karg-append console=ttyS0 ' +
        '--dest-karg-append console=tty0" to configure both kernel and bootloader consoles.',
    ],
  ])('of %s', (_title, kargs, expected) => {
    expect(consoleNote(kargs)).toBe(expected);
  });
});
