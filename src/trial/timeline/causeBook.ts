/** The words of causes: rows of the tables in docs/troubleshooting.md. */

import { readAsset } from '../../core/assets.ts';
import { once } from '../../core/once.ts';
import { mapTexts } from './events.ts';

/** Texts are Markdown; only `code` is supported. They contain the default ports. */
export interface CauseWords {
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

export interface Ports {
  readonly ironic: number;
  readonly images: number;
}

export const defaultPorts: Ports = { ironic: 6385, images: 8084 };

/** The words of a cause, with the ports of a trial in place of the default ports. */
export function wordsOf(id: string, { ironic, images }: Ports): CauseWords {
  const words = causeBook().get(id);
  if (words === undefined) throw new TypeError(`docs/troubleshooting.md does not have the cause ${id}`);
  return mapTexts(words, (text) =>
    text.replaceAll(/\b(?:6385|8084)\b/g, (port) =>
      String(port === String(defaultPorts.ironic) ? ironic : images),
    ),
  );
}
