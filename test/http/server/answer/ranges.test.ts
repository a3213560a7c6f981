import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseRange, type Range } from '../../../../src/http/server/answer/answer.ts';

const ranges = (...pairs: readonly [number, number][]): unknown => ({
  kind: 'ranges',
  ranges: pairs.map(([offset, length]): Range => ({ offset, length })),
});
const whole = { kind: 'whole' };
const unsatisfiable = { kind: 'unsatisfiable' };
const many = (count: number): string =>
  Array.from({ length: count }, (_, index) => `${index * 3}-${index * 3}`).join();

describe('parseRange of 1000 bytes', () => {
  it.each<[string, string | undefined, unknown]>([
    ['no field', undefined, whole],
    ['one range', 'bytes=0-499', ranges([0, 500])],
    ['one byte', 'bytes=999-999', ranges([999, 1])],
    ['an open end', 'bytes=500-', ranges([500, 500])],
    ['an end behind the end', 'bytes=500-5000', ranges([500, 500])],
    ['all of it', 'bytes=0-', ranges([0, 1000])],
    ['the last bytes', 'bytes=-200', ranges([800, 200])],
    ['more last bytes than there are', 'bytes=-2000', ranges([0, 1000])],
    ['leading zeros', 'bytes=0000-0009', ranges([0, 10])],
    ['the unit in capitals', 'BYTES=1-2', ranges([1, 2])],
    ['several, in the order of the client', 'bytes=900-,0-0,-50', ranges([900, 100], [0, 1])],
    ['blanks in the list, and empty elements', 'bytes=,0-0 ,\t, 5-5,', ranges([0, 1], [5, 1])],
    ['overlapping ranges', 'bytes=0-99,50-149', ranges([0, 150])],
    ['ranges that touch', 'bytes=100-199,0-99', ranges([0, 200])],
    ['a gap of one byte', 'bytes=0-0,2-2', ranges([0, 1], [2, 1])],
    ['a range in another one', 'bytes=500-599,0-9,0-999', ranges([0, 1000])],
    ['one that closes a gap', 'bytes=20-29,0-9,10-19', ranges([0, 30])],
    ['some behind the end', 'bytes=5000-,7-7', ranges([7, 1])],
    ['behind the end', 'bytes=1000-', unsatisfiable],
    ['all behind the end', 'bytes=1000-1001,2000-', unsatisfiable],
    ['no last bytes', 'bytes=-0', unsatisfiable],
    ['a number that is not exact any more', 'bytes=9007199254740993-', unsatisfiable],
    ['a number that is beyond all numbers', `bytes=${'9'.repeat(400)}-`, unsatisfiable],
    ['an end that is beyond all numbers', `bytes=990-${'9'.repeat(400)}`, ranges([990, 10])],
    ['last bytes beyond all numbers', `bytes=-${'9'.repeat(400)}`, ranges([0, 1000])],
    [
      'a hundred',
      `bytes=${many(100)}`,
      ranges(...Array.from({ length: 100 }, (_, index) => [index * 3, 1] as [number, number])),
    ],
    ['more than a hundred', `bytes=${many(101)}`, whole],
    ['a thousand overlapping ones', `bytes=${'0-,'.repeat(1000)}`, whole],
    ['a thousand commas', `bytes=${','.repeat(1000)}0-0`, whole],
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
    ['a line break', 'bytes=0-1\n', whole],
    ['digits of another script', 'bytes=٣-٤', whole],
  ])('%s', (_title, field, expected) => {
    expect(parseRange(field, 1000)).toEqual(expected);
  });

  it.each(['bytes=0-', 'bytes=-5', 'bytes=-0', 'bytes=7-8'])('of nothing, %s is all', (field) => {
    expect(parseRange(field, 0)).toEqual(whole);
  });

  it('gives exactly the bytes that were asked for, each once', () => {
    const size = 60;
    const spec = fc.oneof(
      fc
        .tuple(fc.nat(80), fc.nat(30))
        .map(([first, more]) => ({ text: `${first}-${first + more}`, first, end: first + more + 1 })),
      fc.nat(80).map((first) => ({ text: `${first}-`, first, end: size })),
      fc.nat(80).map((count) => ({ text: `-${count}`, first: Math.max(0, size - count), end: size })),
    );
    fc.assert(
      fc.property(fc.array(spec, { minLength: 1, maxLength: 12 }), (specs) => {
        const wanted = Array.from({ length: size }, (_, at) =>
          specs.some(({ first, end }) => first <= at && at < end),
        );
        const request = parseRange(`bytes=${specs.map(({ text }) => text).join(', ')}`, size);
        const times = Array.from<number>({ length: size }).fill(0);
        for (const { offset, length } of request.kind === 'ranges' ? request.ranges : []) {
          expect(length).toBeGreaterThan(0);
          for (let at = offset; at < offset + length; at++) times[at] = (times[at] ?? 0) + 1;
        }
        expect(times).toEqual(wanted.map(Number));
        expect(request.kind).toBe(wanted.includes(true) ? 'ranges' : 'unsatisfiable');
      }),
    );
  });

  it('takes any text', () => {
    const piece = fc.constantFrom('bytes=', '-', ',', ' ', '1', '99', '\t', '=', 'x');
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 40 }), fc.nat(200), (pieces, size) => {
        const request = parseRange(pieces.join(''), size);
        for (const { offset, length } of request.kind === 'ranges' ? request.ranges : []) {
          expect(offset >= 0 && length > 0 && offset + length <= size).toBe(true);
        }
      }),
    );
  });
});
