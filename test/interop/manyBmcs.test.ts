/**
 * `boot` of many machines on one core: each BMC is a server of its own, and each agent calls home. Prints time and memory:
 *
 *   npm run build && IRONIC_COREOS_MANY_BMCS=200 npx vitest run test/interop/manyBmcs.test.ts
 */

import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { bmcModels, bmcUser, startFakeBmc } from '../support/fakeBmc.ts';
import { isoPair } from '../support/minimalIso.ts';
import { have } from '../support/programs.ts';
import { scriptedAgent } from '../support/scriptedAgent.ts';
import { program } from '../support/packageFolder.ts';

const variable = 'IRONIC_COREOS_MANY_BMCS';
const count = Number(process.env[variable] ?? 0);
const reasons = [
  ...(count > 0 ? [] : [`${variable} is not set`]),
  ...(have('taskset') ? [] : ['taskset is not installed']),
];
const note = reasons.length === 0 ? '' : ` (skipped: ${reasons.join(', ')})`;
/** MiB beyond the memory for one machine. */
const MOST = 100;

const folder = mkdtempSync(join(tmpdir(), 'many bmcs '));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface Cost {
  readonly seconds: number;
  readonly mebibytes: number;
  readonly calledHome: number;
}

async function bootMachines(machines: number): Promise<Cost> {
  let said = '';
  const bmcs = await Promise.all(
    Array.from({ length: machines }, async (_, index) => {
      const mac = `52:54:00:00:${[index >> 8, index & 255].map((byte) => byte.toString(16).padStart(2, '0')).join(':')}`;
      const onBoot = (image: string): void => void callHome(image, mac, () => said).catch(() => undefined);
      return { mac, bmc: await startFakeBmc({ model: bmcModels.ilo6, mac, onBoot }) };
    }),
  );
  const hosts = bmcs.map(
    ({ bmc, mac }, index) =>
      `- {name: w-${index}, mac: '${mac}', bmc: {address: 'redfish-virtualmedia+http://${bmc.host}/redfish/v1/Systems/1'}}`,
  );
  writeFileSync(
    join(folder, 'inv.yaml'),
    `agent: {ironic.apiUrls: 'http://127.0.0.1'}\nbmc: {credentialsFile: bmc.json}\nhosts:\n${hosts.join('\n')}\n`,
  );
  const names = bmcs.map((_, index) => `w-${index}`);
  const servers = ['--listen', '127.0.0.1:0', '--serve-listen', '127.0.0.1:0', '--ask-back', 'never'];
  const args = ['boot', ...names, '--inventory', 'inv.yaml', '--iso', 'live.iso', '--grow', ...servers];
  const start = performance.now();
  const child = spawn('taskset', ['-c', '0', process.execPath, program, ...args], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let report = '';
  child.stdout.on('data', (part: Buffer) => (report += part.toString()));
  child.stderr.on('data', (part: Buffer) => (said += part.toString()));
  const mebibytes = await peakOf(child);
  for (const { bmc } of bmcs) await bmc.close();
  const calledHome = report.match(/^w-\d+: called home/gm)?.length ?? 0;
  return { seconds: (performance.now() - start) / 1000, mebibytes, calledHome };
}

async function callHome(image: string, mac: string, said: () => string): Promise<void> {
  await (await fetch(image)).arrayBuffer();
  const [, api = ''] = /listening on (https?:\/\/[^\s:]+:\d+)/.exec(said()) ?? [];
  await scriptedAgent({ api, mac }).callHome();
}

/** Resolves at the end of the process to its peak memory in MiB. */
function peakOf(child: ChildProcess): Promise<number> {
  let peak = 0;
  const timer = setInterval(() => {
    const [, size = '0'] = /^VmHWM:\s+(\d+) kB$/m.exec(statusOf(child.pid)) ?? [];
    peak = Math.max(peak, Number(size) / 1024);
  }, 50);
  return new Promise((resolve) => {
    child.once('close', () => {
      clearInterval(timer);
      resolve(peak);
    });
  });
}

function statusOf(pid: number | undefined): string {
  try {
    return readFileSync(`/proc/${pid}/status`, 'utf8');
  } catch {
    return ''; // it has ended
  }
}

describe.skipIf(reasons.length > 0)(`many machines${note}`, () => {
  it('are booted at little more memory than one', { timeout: 600_000 }, async () => {
    writeFileSync(join(folder, 'live.iso'), isoPair().full);
    writeFileSync(join(folder, 'bmc.json'), JSON.stringify(bmcUser), { mode: 0o600 });
    const one = await bootMachines(1);
    const many = await bootMachines(count);
    for (const { calledHome, mebibytes, seconds } of [one, many])
      console.log(`${calledHome} called home: ${seconds.toFixed(1)} s, ${mebibytes.toFixed(0)} MiB`);
    expect([one.calledHome, many.calledHome]).toEqual([1, count]);
    expect(many.mebibytes - one.mebibytes).toBeLessThan(MOST);
  });
});
