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
    const [log = '', cause = '', before = '', also = ''] = line.split('\t');
    return { log, cause, before, also: also.split(' ') };
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
  it('is measured before the table of causes is changed', () => {
    let correct = 0;
    let falsely = 0;
    for (const { log, before, also } of rows) {
      const [first] = causesOf(log).filter(({ certainty }) => certainty !== 'possible');
      const id = first?.cause.id ?? 'not known';
      const isCorrect = before === id;
      if (isCorrect) correct++;
      else if (first?.certainty === 'proven' && !also.includes(id)) falsely++;
    }
    expect({ correct, falsely }).toEqual({ correct: 50, falsely: 9 });
    expect(rows.length).toBeGreaterThan(100);
  });
});
