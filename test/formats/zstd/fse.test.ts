/** Tables of finite state entropy (RFC 8878, section 4.1.1). */

import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { buildFseTable } from '../../../src/formats/zstd/fallback/fse.ts';

const log = 6;
const size = 2 ** log;

/** Counts of symbols whose states fill the table; -1 is a symbol with one state, at the end of the table. */
const distributions = fc
  .array(fc.integer({ min: -1, max: 9 }), { minLength: 1, maxLength: 6 })
  .chain((counts) => {
    const rest = size - counts.reduce((sum, count) => sum + Math.abs(count), 0);
    return fc.nat(counts.length).map((index) => counts.toSpliced(index, 0, rest));
  });

it('has as many states of each symbol as the distribution says, those of -1 at the end', () => {
  fc.assert(
    fc.property(distributions, (counts) => {
      const { entries } = buildFseTable({ log, counts });
      const symbols = Array.from(entries, (entry) => (entry >>> 16) & 0xff);
      const found = counts.map((_, symbol) => symbols.filter((one) => one === symbol).length);
      expect(found).toEqual(counts.map((count) => Math.abs(count)));
      const rare = counts.flatMap((count, symbol) => (count === -1 ? [symbol] : []));
      expect(symbols.slice(size - rare.length)).toEqual(rare.toReversed());
    }),
  );
});
