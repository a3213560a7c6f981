import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseRange } from '../../../../src/http/server/answer/ranges.ts';

const range = (offset: number, length: number): unknown => ({ offset, length });
const whole = 'whole';
const unsatisfiable = 'unsatisfiable';

describe('parseRange of 1000 bytes', () => {
  it.each<[string, string | undefined, unknown]>([
    ['no field', undefined, whole],
    ['one range', 'bytes=0-499', range(0, 500)],
    ['one byte', 'bytes=999-999', range(999, 1)],
    ['an open end', 'bytes=500-', range(500, 500)],
    ['an end behind the end', 'bytes=500-5000', range(500, 500)],
    ['all of it', 'bytes=0-', range(0, 1000)],
    ['the last bytes', 'bytes=-200', range(800, 200)],
    ['more last bytes than there are', 'bytes=-2000', range(0, 1000)],
    ['leading zeros', 'bytes=0000-0009', range(0, 10)],
    ['the unit in capitals', 'BYTES=1-2', range(1, 2)],
    ['several, in the order of the client', 'bytes=900-,0-0,-50', whole],
    ['blanks in the list, and empty elements', 'bytes=,0-0 ,\t, 5-5,', whole],
    ['overlapping ranges', 'bytes=0-99,50-149', whole],
    ['ranges that touch', 'bytes=100-199,0-99', whole],
    ['a gap of one byte', 'bytes=0-0,2-2', whole],
    ['a range in another one', 'bytes=500-599,0-9,0-999', whole],
    ['one that closes a gap', 'bytes=20-29,0-9,10-19', whole],
    ['some behind the end', 'bytes=5000-,7-7', whole],
    ['behind the end', 'bytes=1000-', unsatisfiable],
    ['all behind the end', 'bytes=1000-1001,2000-', whole],
    ['no last bytes', 'bytes=-0', unsatisfiable],
    ['a number that is not exact any more', 'bytes=9007199254740993-', unsatisfiable],
    ['a number that is beyond all numbers', `bytes=${'9'.repeat(400)}-`, unsatisfiable],
    ['an end that is beyond all numbers', `bytes=990-${'9'.repeat(400)}`, range(990, 10)],
    ['last bytes beyond all numbers', `bytes=-${'9'.repeat(400)}`, range(0, 1000)],
    ['another unit', 'lines=0-1', whole],
    ['no unit', '0-1', whole],
    ['blanks around the equals sign', 'bytes = 0-1', whole],
    ['blanks in a range', 'bytes=0 - 1', whole],
    ['nothing in it', 'bytes=', whole],
    ['only a dash', 'bytes=-', whole],
    ['an end before the start', 'bytes=5-4', whole],
    ['one wrong one among others', 'bytes=0-1,x', whole],
    ['a sign', 'bytes=+1-2', whole],
    ['a negative start', 'bytes=-1-2', whole],
    ['a fraction', 'bytes=0.5-1', whole],
    ['hexadecimal', 'bytes=0x1-0x2', whole],
    ['two fields that were joined', 'bytes=0-1, bytes=3-4', whole],
    ['digits of another script', 'bytes=٣-٤', whole],
  ])('%s', (_title, field, expected) => {
    expect(parseRange(field, 1000)).toEqual(expected);
  });

  it.each(['bytes=0-', 'bytes=-5', 'bytes=-0', 'bytes=7-8'])('of nothing, %s is all', (field) => {
    expect(parseRange(field, 0)).toEqual(whole);
  });

  it('takes any text', () => {
    const piece = fc.constantFrom('bytes=', '-', ',', ' ', '1', '99', '\t', '=', 'x');
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 40 }), fc.nat(200), (pieces, size) => {
        const request = parseRange(pieces.join(''), size);
        if (typeof request === 'string') return;
        const { length, offset } = request;
        expect(offset >= 0 && length > 0 && offset + length <= size).toBe(true);
      }),
    );
  });
});
