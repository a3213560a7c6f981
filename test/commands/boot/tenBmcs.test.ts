/** Ten machines whose BMCs have seven different faults: the page and the terminal say each fault with its own evidence and fix. */

import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { bootTenMachines } from '../../support/tenBmcs.ts';

const folder = mkdtempSync(join(tmpdir(), 'ten bmcs '));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** What the BMC said, and the fix of exactly that. */
const faults: readonly (readonly [machines: readonly string[], evidence: string, fix: string])[] = [
  [
    ['worker-0', 'worker-1'],
    'inserting the image into slot 2 failed: the BMC has no license for this (A license is required)',
    'install the license of the BMC that contains virtual media',
  ],
  [
    ['worker-2'],
    'the BMC cannot fetch the image (The remote file is not reachable)',
    'use --public-url with an address that the BMC can reach',
  ],
  [
    ['worker-3'],
    'the BMC does not have this resource (no)',
    'fix the path of the system in the address of the BMC',
  ],
  [['worker-4'], 'the BMC failed', 'restart the BMC from its web interface'],
  [['worker-5'], 'the machine stays off after the BMC accepted "On"', 'read the iLO Event Log'],
  [
    ['worker-6'],
    'the BMC rejects the user name or the password (There is no valid session)',
    'fix the user name and the password in the credentials file',
  ],
  [
    ['worker-7'],
    'no complete response from the BMC within 15 seconds',
    'check the network between this machine and the BMC',
  ],
];

interface Shown {
  readonly title: string;
  readonly total: number;
  readonly states: readonly { readonly machines: number }[];
  readonly problems: readonly { readonly message: string; readonly hint: string; readonly names: string }[];
  readonly hosts: readonly {
    readonly name: string;
    readonly state: string;
    readonly messages: readonly { readonly message: string; readonly hint?: string }[];
  }[];
}

it('ten BMCs with seven faults', async () => {
  const { end, page, rows, running } = await bootTenMachines(folder);
  await expect.poll(page).toMatch(/^http/);
  const read = async (): Promise<Shown> => {
    const shown: Shown = JSON.parse(await (await fetch(`${page()}?format=json`)).text());
    return shown;
  };
  await expect.poll(async () => (await read()).title).toBe('8 failed, 1 of 10 called home: Boot of machines');

  const { hosts, problems, states, total } = await read();
  expect([total, states.reduce((sum, { machines }) => sum + machines, 0)]).toEqual([10, 10]);
  for (const [machines, evidence, fix] of faults) {
    for (const name of machines) {
      const host = hosts.find((one) => one.name === name);
      expect([name, host?.state]).toEqual([name, 'failed']);
      expect(host?.messages).toEqual([
        expect.objectContaining({
          message: expect.stringContaining(evidence),
          hint: expect.stringContaining(fix),
        }),
      ]);
    }
  }
  // Only the fault that two BMCs have is one problem of several machines.
  expect(problems).toEqual([
    expect.objectContaining({
      message: expect.stringContaining('no license'),
      names: 'worker-0, worker-1',
    }),
  ]);

  await expect.poll(rows).toMatch(/^1 of 10 called home: 8 failed, 1 on the way$[^]*\b100 %/m);
  await expect(rows()).toMatchFileSnapshot('../../golden/terminal/ten-bmcs.txt');
  expect(readFileSync(join(import.meta.dirname, '../../../docs/boot.md'), 'utf8')).toContain(rows());

  const { report } = await end();
  const text = report.replaceAll(/\s+/g, ' ');
  for (const [, evidence, fix] of faults) {
    expect(text).toContain(evidence);
    expect(text).toContain(`fix: ${fix}`);
  }
  expect(text.match(/Causes: same as for \S+/g)).toEqual(['Causes: same as for worker-0']);
  expect(running.said()).toContain('restored ');
});
