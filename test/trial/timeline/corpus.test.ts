/** The first cause that is reported for each console log of the corpus, and that nothing else is proven. */

import { readdirSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createConsoleText } from '../../../src/trial/console/consoleText.ts';
import { createConsoleWatch } from '../../../src/trial/console/consoleWatch.ts';
import { likelyCauses } from '../../../src/trial/timeline/likelyCauses.ts';
import { createMachines } from '../../../src/trial/timeline/machines.ts';
import { createTimeline } from '../../../src/trial/timeline/timeline.ts';
import { corpusLogs } from '../../support/consoleCorpus.ts';

function causesOf(text: string): ReturnType<typeof likelyCauses> {
  const timeline = createTimeline(createMachines([{ name: 'worker-0', macs: [] }]));
  const console = createConsoleText(createConsoleWatch('worker-0', (event) => void timeline.add(event)));
  console.push(Buffer.from(text, 'latin1'));
  console.end();
  return timeline.hosts().flatMap((host) => likelyCauses(host, 'calls'));
}

describe('the corpus of console logs', () => {
  it('has at least 150 logs, each of them with a row', () => {
    const files = readdirSync(resolve(import.meta.dirname, '../corpus')).filter((name) =>
      name.endsWith('.log'),
    );
    expect(
      corpusLogs()
        .map(({ log }) => `${log}.log`)
        .toSorted(),
    ).toEqual(files.toSorted());
    expect(files.length).toBeGreaterThanOrEqual(150);
  });

  it.each(corpusLogs())('$log: $cause', ({ text, cause, also }) => {
    const causes = causesOf(text).filter(({ certainty }) => certainty !== 'possible');
    expect(causes[0]?.id ?? 'not known').toBe(cause);
    const proven = causes.filter(({ certainty }) => certainty === 'proven').map(({ id }) => id);
    expect(proven.filter((id) => id !== cause && !also.includes(id))).toEqual([]);
  });
});
