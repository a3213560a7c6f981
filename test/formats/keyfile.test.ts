import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FormatError } from '../../src/core/errors.ts';
import { formatKeyfile, formatKeyfileString, parseKeyfile } from '../../src/formats/keyfile.ts';

describe('formatKeyfile', () => {
  it('puts a blank line between sections and none at the end', () => {
    const sections = [
      { name: 'connection', entries: [{ key: 'id', value: 'eth0' }] },
      { name: 'bridge', entries: [] },
      { name: 'ipv4', entries: [{ key: 'method', value: 'auto' }] },
    ];
    expect(formatKeyfile(sections)).toBe('[connection]\nid=eth0\n\n[bridge]\n\n[ipv4]\nmethod=auto\n');
  });
});

const noSection = {
  message: 'Invalid keyfile line 1: it is before the first section',
  hint: 'start with [connection]',
};
const noName = (line: number) => ({
  message: `Invalid keyfile line ${line}: the section name is invalid`,
  hint: 'use a section header like [connection]',
});
const noForm = {
  message: 'Invalid keyfile line 2: it is not of the form key=value',
  hint: 'start comments with #',
};

describe('parseKeyfile', () => {
  it('reads sections and keys, skips comments and blank lines', () => {
    const text =
      '# made by hand\n\n[connection]\n id = eth0 \r\ntype=ethernet\n[ipv4]\n[connection]\nuuid=x=y\n';
    expect(parseKeyfile(text)).toMatchObject([
      {
        name: 'connection',
        entries: [
          { key: 'id', value: 'eth0 ' },
          { key: 'type', value: 'ethernet' },
          { key: 'uuid', value: 'x=y' },
        ],
      },
      { name: 'ipv4', entries: [] },
    ]);
  });

  it.each([
    ['a key before any section', 'id=eth0\n', noSection],
    ['a section without an end', '[ipv4]\n[ipv6\n', noName(2)],
    ['a section without a name', '[]\n', noName(1)],
    ['something behind a section', '[ipv4] x\n', noName(1)],
    ['something behind a section without a blank', '[ipv4]x\n', noName(1)],
    ['two sections in a line', '[[ipv4]\n', noName(1)],
    ['a control character in a section', '[ipv\u00014]\n', noName(1)],
    ['a carriage return in a line', '[ip\rv4]\r\n', noName(1)],
    ['a line without =', '[ipv4]\nmethod\n', noForm],
    ['a value without a key', '[ipv4]\n=auto\n', noForm],
  ])('refuses %s', (_title, text, expected) => {
    expect(() => parseKeyfile(text)).toThrow(FormatError);
    expect(thrownBy(() => parseKeyfile(text))).toMatchObject(expected);
  });

  it('leaves blanks out around sections, keys and before values, and only there', () => {
    const text = ' \t\r\f\v[a b] \t\r\n \t\r\f\vx y \t=  \tc\rd \r\n';
    expect(parseKeyfile(text)).toMatchObject([{ name: 'a b', entries: [{ key: 'x y', value: 'c\rd ' }] }]);
  });

  it('gives sections or a FormatError for any text', () => {
    const part = fc.constantFrom('[', ']', 'a', '=', '\n', '#', ' ', ';', '\\', '\r');
    fc.assert(
      fc.property(
        fc.array(part).map((parts) => parts.join('')),
        (text) => {
          expect(thrownBy(() => parseKeyfile(text))).toSatisfy(isFormatErrorOrNothing);
        },
      ),
    );
  });

  it('reads back what was written', () => {
    const key = fc.stringMatching(/^[a-z][a-z0-9-]{0,8}$/);
    const entries = fc.array(fc.record({ key, value: fc.string().map(formatKeyfileString) }));
    const sections = fc.uniqueArray(fc.record({ name: key, entries }), { selector: ({ name }) => name });
    fc.assert(
      fc.property(sections, (written) => {
        expect(parseKeyfile(formatKeyfile(written))).toMatchObject(written);
      }),
    );
  });
});

/** As GLib reads a value. */
function unescaped(value: string): string {
  const letters: Readonly<Record<string, string>> = { s: ' ', t: '\t', n: '\n', r: '\r', '\\': '\\' };
  return value.replaceAll(/\\(.)/g, (escape, letter: string) => letters[letter] ?? escape);
}

const unit = fc.constantFrom('a', 'é', ' ', '\t', '\n', '\r', ';', '\\', '=', 's');

describe('values', () => {
  it.each([
    ['plain text', 'eth0 uplink', 'eth0 uplink'],
    ['blanks before it', ' \tx y', '\\s\\tx y'],
    ['a backslash and a line feed', 'a\\b\nc', 'a\\\\b\\nc'],
  ])('%s', (_title, text, value) => {
    expect(formatKeyfileString(text)).toBe(value);
    expect(unescaped(value)).toBe(text);
  });

  it('come back from any text', () => {
    fc.assert(
      fc.property(fc.string({ unit }), (text) => {
        const value = formatKeyfileString(text);
        expect(unescaped(value)).toBe(text);
        expect(value).not.toMatch(/^[ \t]|[\n\r]/);
      }),
    );
  });
});

function thrownBy(action: () => unknown): unknown {
  try {
    action();
    return undefined;
  } catch (error) {
    return error;
  }
}

function isFormatErrorOrNothing(error: unknown): boolean {
  return error === undefined || error instanceof FormatError;
}
