import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatHttpDate, parseHttpDate } from '../../../src/formats/http/conditions.ts';

const now = new Date('2026-11-21T00:00:00Z');

describe('parseHttpDate', () => {
  it.each<[string, string | undefined]>([
    ['Sun, 06 Nov 1994 08:49:37 GMT', '1994-11-06T08:49:37Z'],
    ['Sunday, 06-Nov-94 08:49:37 GMT', '1994-11-06T08:49:37Z'],
    ['Sun Nov  6 08:49:37 1994', '1994-11-06T08:49:37Z'],
    ['Wed Nov 16 08:49:37 1994', '1994-11-16T08:49:37Z'],
    ['Monday, 01-Jan-76 00:00:00 GMT', '2076-01-01T00:00:00Z'],
    ['Monday, 01-Jan-77 00:00:00 GMT', '1977-01-01T00:00:00Z'],
    ['Thu, 29 Feb 2024 00:00:00 GMT', '2024-02-29T00:00:00Z'],
    ['Sat, 31 Dec 2016 23:59:60 GMT', '2017-01-01T00:00:00Z'],
    ['Thu, 01 Jan 0050 00:00:00 GMT', '0050-01-01T00:00:00Z'],
    ['Wed, 29 Feb 2023 00:00:00 GMT', undefined],
    ['Sun, 00 Nov 1994 08:49:37 GMT', undefined],
    ['Sun, 06 Nov 1994 24:00:00 GMT', undefined],
    ['Sun, 06 Nov 1994 08:60:00 GMT', undefined],
    ['Sun, 06 Nov 1994 08:49:61 GMT', undefined],
    ['Sun, 6 Nov 1994 08:49:37 GMT', undefined],
    ['Sun, 06 Nov 1994 08:49:37 CET', undefined],
    ['Sun, 06 Nov 1994 08:49:37 +0000', undefined],
    ['sun, 06 nov 1994 08:49:37 gmt', undefined],
    ['Sun, 06 Nov 1994 08:49:37 GMT ', undefined],
    ['1994-11-06T08:49:37Z', undefined],
    ['784111777', undefined],
    ['', undefined],
  ])('%s', (text, expected) => {
    expect(parseHttpDate(text, now)).toEqual(expected === undefined ? undefined : new Date(expected));
  });

  it('reads what formatHttpDate writes', () => {
    const seconds = fc.integer({ min: 0, max: 253_402_300_799 });
    fc.assert(
      fc.property(seconds, (second) => {
        const date = new Date(second * 1000);
        expect(parseHttpDate(formatHttpDate(date))).toEqual(date);
      }),
    );
  });
});
