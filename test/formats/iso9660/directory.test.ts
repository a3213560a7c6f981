import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FormatError } from '../../../src/core/errors.ts';
import { joinRecords, readDirectory, writeDirectoryRecord } from '../../../src/formats/iso9660/directory.ts';
import {
  readSystemUse,
  writeAttributes,
  writeContinuation,
  writeExtensionReference,
  writeName,
  writeSharingProtocol,
} from '../../../src/formats/iso9660/rockRidge.ts';
import { encodeUcs2 } from '../../support/jolietIso.ts';

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

  it.each([
    ['one letter', 'A', 'A'],
    ['a version in the middle', 'A;1.B', 'A;1.B'],
    ['as many letters as there is room', 'A'.repeat(221), 'A'.repeat(221)],
  ])('reads a name of %s', (_title, identifier, name) => {
    expect(
      readDirectory(record(ascii(identifier))).map((found) => [found.name, found.systemUse.length]),
    ).toEqual([[name, 0]]);
  });

  it('reads what kind of file it is, and passes over its extended attributes', () => {
    const bytes = record(ascii('AB'), [7]);
    bytes[1] = 3;
    bytes[25] = 0x82;
    const [found] = readDirectory(bytes);
    expect(found).toMatchObject({ sector: 45, isDirectory: true, continues: true });
    expect(found?.systemUse[0]).toBe(7);
  });

  it('ends where a record ends with the sector', () => {
    const bytes = new Uint8Array(2048);
    for (let at = 0; at < 2048; at += 64) bytes.set(record(ascii(`${'A'.repeat(28)}.1`)), at);
    expect(readDirectory(bytes)).toHaveLength(32);
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

  it.each([
    ['a record without room for a name', 33, 0],
    ['a name that is a byte too long', 40, 8],
  ])('refuses %s, and says where', (_title, length, nameLength) => {
    const bytes = new Uint8Array(100);
    bytes.set(record(ascii('A')));
    bytes[34] = length;
    bytes[34 + 32] = nameLength;
    expect(() => readDirectory(bytes)).toThrow(
      expect.objectContaining({ message: 'incomplete directory record; the image is damaged', offset: 34 }),
    );
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

describe('writeDirectoryRecord', () => {
  const written = (change: Partial<Parameters<typeof writeDirectoryRecord>[0]>): string => {
    const given = {
      identifier: ascii('AB'),
      sector: 0x1234,
      size: 0x5678,
      isDirectory: false,
      date,
      systemUse: Uint8Array.of(7),
    };
    return Buffer.from(writeDirectoryRecord({ ...given, ...change })).toString('hex');
  };
  it.each<[string, Parameters<typeof written>[0], string, string]>([
    ['a file', {}, '00', '02414200070 0'],
    ['a directory', { isDirectory: true }, '02', '02414200070 0'],
    ['a part of a file', { continues: true }, '80', '02414200070 0'],
    ['an odd name', { identifier: ascii('ABC'), systemUse: Uint8Array.of(7, 8) }, '00', '034142430708'],
  ])('writes %s', (_title, change, flags, end) => {
    const places = '34120000000012347856000000005678';
    const tail = end.replace(' ', '');
    expect(written(change)).toBe(`2600${places}7b0b0e160d1400${flags}000001000001${tail}`);
  });
});

describe('joinRecords', () => {
  it.each<[string, number[], number[], number]>([
    ['nothing', [], [], 0],
    ['records that fill a sector', [2000, 48], [0, 2000], 2048],
    ['a record that would cross the end', [2000, 49], [0, 2048], 4096],
    ['a record behind a full sector', [2048, 10, 2038, 1], [0, 2048, 2058, 4096], 6144],
  ])('joins %s', (_title, lengths, offsets, size) => {
    const joined = joinRecords(lengths.map((length, index) => new Uint8Array(length).fill(index + 1)));
    expect(offsets.map((_, index) => joined.indexOf(index + 1))).toEqual(offsets);
    expect(joined).toHaveLength(size);
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

const entry = (signature: string, ...body: readonly number[]): number[] => [
  ...Buffer.from(signature),
  body.length + 4,
  1,
  ...body,
];

describe('Rock Ridge', () => {
  it.each([1, 12, 249, 250])('a name of %i bytes comes back', (length) => {
    const name = 'n'.repeat(length);
    const written = writeName(Buffer.from(name));
    expect(readSystemUse(written).name).toBe(name);
  });

  it('finds the name behind other entries', () => {
    const bytes = Buffer.concat([
      writeAttributes({ mode: 0o100444, links: 1, date: new Date(0) }, 'named'),
      writeName(Buffer.from('igninfo.json')),
    ]);
    expect(readSystemUse(bytes).name).toBe('igninfo.json');
  });

  const named = entry('NM', 0, 0x61);
  it.each<[string, number[], object]>([
    ['nothing', [], { name: undefined, hasAttributes: false }],
    ['a name', named, { name: 'a', hasAttributes: false }],
    ['no part of a name that goes on elsewhere', entry('NM', 1, 0x61), { name: undefined }],
    ['both parts of a name', [...entry('NM', 1, 0x61), ...named], { name: 'aa' }],
    ['attributes', entry('PX', 1, 2), { hasAttributes: true }],
    ['an entry that fills the rest', entry('PX'), { hasAttributes: true }],
    ['nothing behind the end', [...entry('ST'), ...named], { name: undefined }],
    ['nothing behind an entry without length', [0x58, 0x58, 0, 1, ...named], { name: undefined }],
    ['nothing behind an entry that is too short', [0x4e, 0x4d, 3, ...named], { name: undefined }],
    ['nothing of an entry that goes beyond the end', [0x4e, 0x4d, 7, 1, 0, 0x61], { name: undefined }],
    ['nothing of less than a header', [...named, 0x50, 0x58, 4], { hasAttributes: false }],
  ])('reads %s', (_title, bytes, expected) => {
    expect(readSystemUse(Uint8Array.from(bytes))).toMatchObject(expected);
  });

  it('writes attributes as the protocol has them', () => {
    const attributes = { mode: 0o100444, links: 2, date: new Date('2023-11-14T22:13:20Z') };
    const time = '7b0b0e160d1400';
    const fields = `5058240124810000000081240200000000000002${'00'.repeat(16)}54461a010e${time.repeat(3)}`;
    const hexOf = (name: 'named' | 'nameless'): string =>
      Buffer.from(writeAttributes(attributes, name)).toString('hex');
    expect(hexOf('named')).toBe(`5252050189${fields}`);
    expect(hexOf('nameless')).toBe(`5252050181${fields}`);
  });

  it('marks its use at the root', () => {
    expect(Buffer.from(writeSharingProtocol()).toString('hex')).toBe('53500701beef00');
    const reference = Buffer.from(writeExtensionReference());
    expect([...reference.subarray(0, 8)]).toEqual([0x45, 0x52, reference.length, 1, 10, 84, 135, 1]);
    expect(reference.toString('latin1', 8, 18)).toBe('RRIP_1991A');
    expect(reference).toHaveLength(8 + 10 + 84 + 135);
  });

  it('has the place of a continuation in both byte orders', () => {
    const bytes = Buffer.from(writeContinuation({ sector: 1, offset: 2, length: 3 }));
    expect(bytes.toString('hex')).toBe('43451c01010000000000000102000000000000020300000000000003');
  });

  it('takes no name from entries for a directory itself or its parent', () => {
    expect(readSystemUse(Uint8Array.of(0x4e, 0x4d, 5, 1, 2)).name).toBeUndefined();
  });

  it('reads any bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
        expect((readSystemUse(bytes).name ?? '').length).toBeLessThanOrEqual(bytes.length);
      }),
    );
  });
});
