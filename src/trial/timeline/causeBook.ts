/** The words of causes: rows of the tables in docs/troubleshooting.md. */

import { readAsset } from '../../core/assets.ts';
import { once } from '../../core/once.ts';

export interface CauseWords {
  /** Stable, because reports contain it. */
  readonly id: string;
  /** A sentence. If an event proves the cause, the first clause contains only facts of the event. */
  readonly text: string;
  /** How to verify the cause; an imperative. */
  readonly check: string;
  /** How to fix it; an imperative. */
  readonly fix: string;
}

/** By the ids of the causes, in the order of the page. `scripts/explanations.js` makes it. */
export const causeBook = once((): ReadonlyMap<string, CauseWords> => {
  const rows: readonly CauseWords[] = JSON.parse(readAsset('dist/compiled/causes.json'));
  return new Map(rows.map((row) => [row.id, row]));
});
