import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FormatError } from '../../../src/errors.ts';
import { readDirectory, writeDirectoryRecord } from '../../../src/formats/iso9660/directory.ts';
import { encodeUcs2 } from '../../../src/formats/iso9660/fields.ts';

const date = new Date('2023-11-14T22:13:20Z');

function record(identifier: Uint8Array, systemUse: readonly number[] = []): Uint8Array {
  return writeDirectoryRecord({
    identifier,
    sector: 42,
    size: 1000,
    isDirectory: false,
    date,
    systemUse: Uint8Array.from(systemUse),
  });
}

const ascii = (text: string): Uint8Array => Buffer.from(text, 'latin1');

describe('readDirectory', () => {
  it.each([
    ['VMLINUZ.;1', 'VMLINUZ'],
    ['IGNINFO.JSO;1', 'IGNINFO.JSO'],
    ['IGNINFO.JSON', 'IGNINFO.JSON'],
    ['COREOS', 'COREOS'],
    ['ODD#NAME~.X;12', 'ODD#NAME~.X'],
  ])('%s reads %s', (identifier, name) => {
    const bytes = record(ascii(identifier), [1, 2, 3, 4]);
    expect(readDirectory(bytes)).toEqual([
      {
        recordOffset: 0,
        name,
        sector: 42,
        size: 1000,
        isDirectory: false,
        continues: false,
        systemUse: expect.objectContaining({ 0: 1, 3: 4 }),
      },
    ]);
  });

  it('reads names of Joliet', () => {
    expect(readDirectory(record(encodeUcs2('igninfo.json')), 'joliet')[0]?.name).toBe('igninfo.json');
  });

  it('leaves out a directory itself and its parent, and goes on in the next sector after a zero', () => {
    const bytes = new Uint8Array(4096);
    bytes.set(record(Uint8Array.of(0)));
    bytes.set(record(Uint8Array.of(1)), 34);
    bytes.set(record(ascii('A.;1')), 2048);
    expect(readDirectory(bytes).map(({ name, recordOffset }) => [name, recordOffset])).toEqual([['A', 2048]]);
  });

  it.each([
    ['a record that is longer than what is left', [40, ...Array<number>(20).fill(0)]],
    ['a record that is shorter than its fixed part', [10, ...Array<number>(60).fill(0)]],
    [
      'a name that is longer than its record',
      [40, ...Array<number>(31).fill(0), 200, ...Array<number>(40).fill(65)],
    ],
  ])('refuses %s', (_title, bytes) => {
    expect(() => readDirectory(Uint8Array.from(bytes))).toThrow(FormatError);
  });

  it('ends on any bytes, with records or with a FormatError', () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ maxLength: 5000 }),
        fc.constantFrom('primary', 'joliet'),
        (bytes, names) => {
          expect(readsOrRefuses(() => readDirectory(bytes, names))).toBe(true);
        },
      ),
    );
  });
});

function readsOrRefuses(read: () => unknown): boolean {
  try {
    read();
    return true;
  } catch (error) {
    return error instanceof FormatError;
  }
}
