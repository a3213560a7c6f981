/** Console logs of real programs, and logs composed from their message strings: the files and the table in `test/trial/corpus`. */

import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { load } from 'js-yaml';

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

const folder = resolve(import.meta.dirname, '../trial/corpus');

export function corpusLogs(): readonly CorpusLog[] {
  const [, ...rows] = readFileSync(`${folder}/index.tsv`, 'utf8').trimEnd().split('\n');
  return rows.map((row) => {
    const [log = '', cause = '', also = ''] = row.split('\t');
    const text = readFileSync(`${folder}/${log}.log`, 'latin1');
    return { log, cause, also: also.split(' '), text: text.replaceAll('NOW', new Date().toISOString()) };
  });
}

interface LinesTable {
  readonly programs: readonly { readonly lines: Readonly<Record<string, { readonly source: string }>> }[];
}

/** The program that prints each line of `console-lines.yaml`, and the file with its message, by the ids of the lines. */
export function sourcesOfLines(): ReadonlyMap<string, string> {
  const file = resolve(import.meta.dirname, '../../src/trial/timeline/console-lines.yaml');
  const { programs }: LinesTable = JSON.parse(JSON.stringify(load(readFileSync(file, 'utf8'))));
  const lines = programs.flatMap((program) => Object.entries(program.lines));
  return new Map(lines.map(([id, { source }]) => [id, source]));
}
