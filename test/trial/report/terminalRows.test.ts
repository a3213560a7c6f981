/** The rows of machines on a terminal, as text: bounded by its size, problems first. */

import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { displayWidth } from '../../../src/io/report/terminalText.ts';
import { type MachineRow, stateNames } from '../../../src/service/status/machineRow.ts';
import { machineStates } from '../../../src/service/status/select.ts';
import { createRates } from '../../../src/trial/report/rates.ts';
import { formatLiveRows } from '../../../src/trial/report/terminalRows.ts';
import { ago, now } from '../../service/status/exampleStatus.ts';

const row = (name: string, changes: Partial<MachineRow> = {}): MachineRow => ({
  name,
  texts: [],
  state: 'idle',
  stage: undefined,
  transfer: undefined,
  since: undefined,
  causes: [],
  others: [],
  ...changes,
});

const GIB = 1024 ** 3;
const refused = (name: string): MachineRow =>
  row(name, {
    state: 'failed',
    stage: 'media',
    since: ago(9),
    causes: [
      {
        severity: 'error',
        label: 'Proven',
        message: `cannot be booted: http://${name}.example.com: inserting the image failed: the BMC has no license for this`,
        hint: 'install the license of the BMC that contains virtual media',
      },
    ],
  });
const stuck = (name: string): MachineRow =>
  row(name, {
    state: 'stuck',
    stage: 'agent',
    since: ago(200),
    causes: [
      {
        severity: 'warning',
        label: 'Likely',
        message: 'The agent does not trust the certificate of Ironic.',
        hint: 'in render --ca-file, pass the CA certificate of Ironic',
      },
    ],
  });
const fetching = (name: string): MachineRow =>
  row(name, {
    state: 'under-way',
    stage: 'media',
    since: ago(1),
    transfer: { path: `${name}.iso`, bytes: 0.4 * GIB, size: GIB },
  });
const many = (count: number, make: (name: string) => MachineRow, prefix: string): MachineRow[] =>
  Array.from({ length: count }, (_, index) => make(`${prefix}-${index}`));

const url = 'http://192.0.2.1:8084/';
const live = (rows: readonly MachineRow[]) => ({
  heading: 'Boot of machines',
  summary: `${rows.length} hosts`,
  names: stateNames('called home'),
  rows,
  service: { now, started: now },
});

const kinds = [
  ...many(3, (name) => row(name, { state: 'home', stage: 'media' }), 'done'),
  ...many(4, (name) => row(name), 'idle'),
  fetching('moving-0'),
  row('moving-1', { state: 'under-way', stage: 'kernel', since: ago(20) }),
  stuck('stuck-0'),
  stuck('stuck-1'),
  refused('refused-0'),
];

const large = [
  ...many(9000, (name) => row(name), 'idle'),
  ...many(700, fetching, 'moving'),
  ...many(300, refused, 'refused'),
];

describe('the rows of', () => {
  it.each<[string, readonly MachineRow[], number, number]>([
    ['each state', kinds, 80, 24],
    ['each state, on a small terminal', kinds, 44, 12],
    ['10,000 machines', large, 80, 24],
    ['no machine', [], 80, 24],
  ])('%s', async (title, rows, columns, height) => {
    const lines = formatLiveRows(url, live(rows), { columns, rows: height }, () => 12.5 * 1024 ** 2);
    const file = title.replaceAll(/[^a-z\d]+/gi, '-');
    await expect(`${lines.join('\n')}\n`).toMatchFileSnapshot(`../../golden/terminal/${file}.txt`);
  });

  it('problems have colours, and no other text', () => {
    const size = { columns: 80, rows: 24 };
    const words: string[] = [];
    const painted = formatLiveRows(
      url,
      live(kinds),
      size,
      () => undefined,
      (role, text) => {
        words.push(`${role} ${text}`);
        return `{${text}}`;
      },
    );
    const plain = formatLiveRows(url, live(kinds), size, () => undefined);
    expect(painted.map((line) => line.replaceAll(/[{}]/g, ''))).toEqual(plain);
    expect(words).toEqual([
      'error failed',
      'error Proven',
      'warning stuck',
      'warning Likely',
      'warning stuck',
    ]);
  });

  it('any machines fit on any terminal, without control characters', () => {
    const text = fc.string({ unit: 'binary', maxLength: 60 });
    const cause = fc.record({
      severity: fc.constant('error' as const),
      label: text,
      message: text,
      hint: text,
    });
    const machine = fc.record({
      name: text,
      texts: fc.constant([]),
      state: fc.constantFrom(...machineStates),
      stage: fc.option(fc.constant('root filesystem'), { nil: undefined }),
      transfer: fc.option(fc.record({ path: text, bytes: fc.nat(1000), size: fc.constant(1000) }), {
        nil: undefined,
      }),
      since: fc.constant(ago(9)),
      causes: fc.array(cause, { maxLength: 1 }),
      others: fc.constant([]),
    });
    const size = fc.record({
      columns: fc.integer({ min: 20, max: 200 }),
      rows: fc.integer({ min: 2, max: 60 }),
    });
    fc.assert(
      fc.property(fc.array(machine), size, (rows, terminal) => {
        const lines = formatLiveRows(url, live(rows), terminal, () => 5);
        expect(lines.length).toBeLessThan(terminal.rows);
        for (const line of lines) {
          expect(displayWidth(line)).toBeLessThan(terminal.columns);
          expect(line).not.toMatch(/\p{Cc}/u);
        }
      }),
    );
  });

  it('10,000 machines take little time', () => {
    const started = process.cpuUsage();
    for (let time = 0; time < 10; time++)
      formatLiveRows(url, live(large), { columns: 80, rows: 24 }, () => undefined);
    expect(process.cpuUsage(started).user / 1000 / 10).toBeLessThan(100);
  });
});

describe('a rate', () => {
  it('is that of the last seconds, and begins anew with another fetch', () => {
    let time = 0;
    const rateOf = createRates(() => time);
    const seen = [0, 1000, 2000, 3000, 3000, 3000, 3000, 3000, 3000, 10, 1010].map((bytes) => {
      const rate = rateOf('a', bytes);
      time += 1000;
      return rate;
    });
    expect(seen).toEqual([undefined, 1000, 1000, 1000, 750, 600, 400, 200, 0, undefined, 1000]);
  });
});
