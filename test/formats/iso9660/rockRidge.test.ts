import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  readSystemUse,
  writeAttributes,
  writeContinuation,
  writeName,
} from '../../../src/formats/iso9660/rockRidge.ts';

const nameOf = (bytes: Uint8Array): string => Buffer.concat([...readSystemUse(bytes).name]).toString();

describe('Rock Ridge', () => {
  it.each([1, 12, 249, 250, 251, 255, 1000])('a name of %i bytes comes back', (length) => {
    const name = 'n'.repeat(length);
    const written = writeName(Buffer.from(name));
    expect(nameOf(written)).toBe(name);
    expect(readSystemUse(written).nameContinues).toBe(false);
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
