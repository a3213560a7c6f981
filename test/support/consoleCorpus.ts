/** Console logs of real programs, and logs composed from their message strings: the files and the table in `test/commands/try/corpus`. */

import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';

export interface CorpusLog {
  /** Name of the file without its suffix. */
  readonly log: string;
  /** The id of its first cause, or `not known`. */
  readonly cause: string;
  /** Ids of further causes that the log proves. */
  readonly also: readonly string[];
  /** The console byte by byte, as Latin-1. `NOW` is replaced with the current time. */
  readonly text: string;
}

const folder = resolve(import.meta.dirname, '../commands/try/corpus');

export function corpusLogs(): readonly CorpusLog[] {
  const [, ...rows] = readFileSync(`${folder}/index.tsv`, 'utf8').trimEnd().split('\n');
  return rows.map((row) => {
    const [log = '', cause = '', also = ''] = row.split('\t');
    const text = readFileSync(`${folder}/${log}.log`, 'latin1');
    return { log, cause, also: also.split(' '), text: text.replaceAll('NOW', new Date().toISOString()) };
  });
}

/** The program that prints each line of `console-lines.yaml`, and the file with its message, by the ids of the lines. */
export function sourcesOfLines(): ReadonlyMap<string, string> {
  const table = readFileSync(resolve(import.meta.dirname, '../../schemas/console-lines.yaml'), 'utf8');
  const rows = table.matchAll(/^ {6}([a-z\d-]+):\n(?: {8}.*\n)*? {8}source: (.+)$/gm);
  return new Map(Array.from(rows, ([, id = '', source = '']) => [id, source.replaceAll(/^'|'$/g, '')]));
}
