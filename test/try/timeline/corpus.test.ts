/**
 * Console logs of real programs, and logs composed from their message strings: what is reported as the first cause. Each row of
 * `test/try/corpus/index.tsv` names a log, its first cause, further causes that the log proves, and where its lines are from.
 */

import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createConsoleText, createConsoleWatch } from '../../../src/try/consoleOutput.ts';
import { likelyCauses } from '../../../src/try/timeline/causes.ts';
import { createTimeline } from '../../../src/try/timeline/timeline.ts';

const corpus = resolve(import.meta.dirname, '../corpus');

const [, ...rows] = readFileSync(`${corpus}/index.tsv`, 'utf8')
  .trimEnd()
  .split('\n')
  .map((line) => {
    const [log = '', cause = '', also = ''] = line.split('\t');
    return { log, cause, also: also.split(' ') };
  });

function causesOf(log: string): ReturnType<typeof likelyCauses> {
  const text = readFileSync(`${corpus}/${log}.log`, 'latin1').replaceAll('NOW', new Date().toISOString());
  const timeline = createTimeline([{ name: 'worker-0', macs: [] }]);
  const console = createConsoleText(createConsoleWatch('worker-0', (event) => void timeline.add(event)));
  console.push(Buffer.from(text, 'latin1'));
  console.end();
  return timeline.hosts().flatMap((host) => likelyCauses(host, 'calls'));
}

describe('the corpus of console logs', () => {
  it.each(rows)('$log: $cause', ({ log, cause, also }) => {
    const causes = causesOf(log).filter(({ certainty }) => certainty !== 'possible');
    expect(causes[0]?.cause.id ?? 'not known').toBe(cause);
    const proven = causes.filter(({ certainty }) => certainty === 'proven').map((one) => one.cause.id);
    expect(proven.filter((id) => id !== cause && !also.includes(id))).toEqual([]);
  });
});
