/**
 * `boot` and `boot --check` against a BMC that fails at each of its requests in turn: the run ends within its bound, names the
 * request, and the machine is as before, or the printed commands restore it. By default a sample; with
 * IRONIC_COREOS_SILENT=all for all models, failures and ends (an hour).
 */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { bmcModels, type BmcModel, bmcUser } from '../../support/fakeBmc.ts';
import { writeAgentIso } from '../../support/agentIso.ts';
import { failures, problemsOf, runAll, type SilentRun } from './silentBmc.ts';

const folder = mkdtempSync(join(tmpdir(), 'silent bmc '));
await writeAgentIso(folder, 'live.iso', 'http://192.0.2.1:6385');
writeFileSync(join(folder, 'bmc.yaml'), JSON.stringify(bmcUser), { mode: 0o600 });
afterAll(() => rmSync(folder, { recursive: true, force: true }));

process.setMaxListeners(0); // each run listens to signals
afterAll(() => void process.setMaxListeners(10));

const isComplete = process.env['IRONIC_COREOS_SILENT'] === 'all';
/** The number of runs at the same time. */
const BATCH = 16;
/** A sample has each fourth request, of each kind of failure other ones. */
const STEP = isComplete ? 1 : 4;

type Kind = Omit<SilentRun, 'request'>;

async function sweep(
  kind: Kind,
  first: number,
): Promise<{ readonly count: number; readonly problems: readonly string[] }> {
  const [normal] = await runAll([{ ...kind, isInterrupted: false }], folder);
  const problems = [...(await problemsOf(kind, normal!))];
  if (normal!.code !== 0) problems.push(`a BMC that answers: ${normal!.said}`);
  const count = normal!.bmc.seen.length;
  const requests = Array.from({ length: count }, (_, index) => index + 1).filter(
    (request) => request % STEP === first % STEP,
  );
  for (let start = 0; start < requests.length; start += BATCH) {
    const runs = requests.slice(start, start + BATCH).map((request) => ({ ...kind, request }));
    const ends = await runAll(runs, folder);
    for (const [index, end] of ends.entries()) {
      const found = await problemsOf(runs[index]!, end);
      problems.push(...found.map((problem) => `request ${runs[index]!.request}: ${problem}\n${end.said}`));
    }
  }
  return { count, problems };
}

const { openbmc: _, ...overHttp } = bmcModels; // OpenBMC does not fetch images over HTTP
const machines: readonly (readonly [string, Pick<SilentRun, 'method' | 'model'>])[] = isComplete
  ? [
      ...Object.entries(overHttp).map(([name, model]): [string, { model: BmcModel }] => [name, { model }]),
      ['ilo6 by UEFI HTTP', { model: bmcModels.ilo6, method: 'uefi-http' }],
    ]
  : [['ilo6', { model: bmcModels.ilo6 }]];

/** With the first request of a sample. Each pair of a failure, an end and a duration is in one of the four kinds of the sample. */
const kinds: readonly (readonly [string, Kind, first: number])[] = machines
  .flatMap(([name, machine]) =>
    (isComplete ? failures : (['silent', 'reset'] as const)).flatMap((failure) =>
      [true, false].flatMap((isInterrupted) =>
        [false, true].map((isLasting): readonly [string, Kind] => [
          `${name}: ${failure}${isLasting ? ' from then on' : ''}, ${isInterrupted ? 'Ctrl-C' : '--timeout'}`,
          { ...machine, power: 'On', failure, isInterrupted, isLasting },
        ]),
      ),
    ),
  )
  .filter((_kind, index) => isComplete || [0, 3, 5, 6].includes(index))
  .map(([title, kind], index) => [title, kind, index]);

describe('each request of a boot', () => {
  it.each(kinds)(
    '%s',
    async (_title, kind, first) => {
      const { count, problems } = await sweep(kind, first);
      expect(problems).toEqual([]);
      expect(count).toBeGreaterThan(30);
    },
    600_000,
  );
});

describe('each request of a check', () => {
  it.each(kinds)(
    '%s',
    async (_title, kind, first) => {
      const { count, problems } = await sweep({ ...kind, check: true }, first);
      expect(problems).toEqual([]);
      expect(count).toBeGreaterThan(10);
    },
    600_000,
  );
});
