import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  readSystemUse,
  writeAttributes,
  writeContinuation,
  writeExtensionReference,
  writeName,
  writeSharingProtocol,
} from '../../../src/formats/iso9660/directory.ts';

const nameOf = (bytes: Uint8Array): string => Buffer.concat([...readSystemUse(bytes).name]).toString();

const entry = (signature: string, ...body: readonly number[]): number[] => [
  ...Buffer.from(signature),
  body.length + 4,
  1,
  ...body,
];

describe('Rock Ridge', () => {
  it.each([1, 12, 249, 250, 251, 255, 1000])('a name of %i bytes comes back', (length) => {
    const name = 'n'.repeat(length);
    const written = writeName(Buffer.from(name));
    expect(nameOf(written)).toBe(name);
    expect(readSystemUse(written).nameContinues).toBe(false);
  });

  it.each([
    [250, ['NM', 0]],
    [251, ['NM', 1, 'NM', 0]],
    [500, ['NM', 1, 'NM', 0]],
  ])('a name of %i bytes says in each entry but the last that it goes on', (length, expected) => {
    const bytes = Buffer.from(writeName(Buffer.alloc(length, 'n')));
    const found: (string | number | undefined)[] = [];
    for (let at = 0; at < bytes.length; at += bytes[at + 2] ?? 1) {
      found.push(bytes.toString('latin1', at, at + 2), bytes[at + 4]);
    }
    expect(found).toEqual(expected);
  });

  it('finds the name behind other entries, and the place of the rest', () => {
    const place = { sector: 31, offset: 100, length: 200 };
    const bytes = Buffer.concat([
      writeAttributes({ mode: 0o100444, links: 1, date: new Date(0) }, 'named'),
      writeName(Buffer.from('igninfo.json')),
      writeContinuation(place),
    ]);
    expect(nameOf(bytes)).toBe('igninfo.json');
    expect(readSystemUse(bytes).continuation).toEqual(place);
  });

  const named = entry('NM', 0, 0x61);
  const continuation = entry(
    'CE',
    ...Array.from({ length: 24 }, (_, index) => (index % 8 === 0 ? index + 1 : 0)),
  );
  it.each<[string, number[], object]>([
    ['nothing', [], { name: [], nameContinues: false, continuation: undefined, hasAttributes: false }],
    ['a name', named, { name: [Buffer.from('a')], nameContinues: false, hasAttributes: false }],
    ['a name that goes on', entry('NM', 1, 0x61), { nameContinues: true }],
    ['the last of two names', [...entry('NM', 1, 0x61), ...named], { nameContinues: false }],
    ['attributes', entry('PX', 1, 2), { hasAttributes: true }],
    ['a continuation', continuation, { continuation: { sector: 1, offset: 9, length: 17 } }],
    [
      'a continuation that is too short',
      entry('CE', ...Array<number>(23).fill(1)),
      { continuation: undefined },
    ],
    [
      'nothing of a kind it does not know',
      entry('XX', ...Array<number>(24).fill(1)),
      { continuation: undefined },
    ],
    ['an entry that fills the rest', entry('PX'), { hasAttributes: true }],
    ['nothing behind the end', [...entry('ST'), ...named], { name: [] }],
    ['nothing behind an entry without length', [0x58, 0x58, 0, 1, ...named], { name: [] }],
    ['nothing behind an entry that is too short', [0x4e, 0x4d, 3, ...named], { name: [] }],
    ['nothing of an entry that goes beyond the end', [0x4e, 0x4d, 7, 1, 0, 0x61], { name: [] }],
    ['nothing of less than a header', [...named, 0x50, 0x58, 4], { hasAttributes: false }],
  ])('reads %s', (_title, bytes, expected) => {
    const found = readSystemUse(Uint8Array.from(bytes));
    expect({ ...found, name: found.name.map((piece) => Buffer.from(piece)) }).toMatchObject(expected);
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
    expect(readSystemUse(Uint8Array.of(0x4e, 0x4d, 5, 1, 2)).name).toEqual([]);
  });

  it('reads any bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
        const pieces = readSystemUse(bytes).name;
        expect(pieces.reduce((sum, { length }) => sum + length, 0)).toBeLessThanOrEqual(bytes.length);
      }),
    );
  });
});
