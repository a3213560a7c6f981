/** `try` as a process: what signals do, and that the emulated machine never outlives it. */

import { spawn } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { liveIso } from '../../support/liveIso.ts';
import { have, oracleNote } from '../../support/programs.ts';
import { runCli } from '../../support/runCli.ts';
import { until } from '../../support/serveFixtures.ts';
import { program } from '../../support/packageFolder.ts';

const folder = mkdtempSync(join(tmpdir(), 'try process '));
const path = (name: string): string => join(folder, name);
afterAll(() => rmSync(folder, { recursive: true, force: true }));
writeFileSync(path('plain.iso'), liveIso('2023-07'));
beforeAll(async () => {
  // An image without any config would not be booted.
  const url = 'ignition.config.url=http://192.0.2.1/config.ign';
  const args = ['iso', 'kargs', 'modify', '-a', url, '-o', path('live.iso'), path('plain.iso')];
  const { code, stderr } = await runCli(args);
  if (code !== 0) throw new Error(stderr);
});
writeFileSync(path('qemu-system-x86_64'), `#!/bin/sh\necho $$ > "$PID_FILE"; exec sleep 600\n`);
chmodSync(path('qemu-system-x86_64'), 0o755);

interface Running {
  readonly kill: (signal: NodeJS.Signals) => void;
  readonly ended: Promise<{ readonly code: number | null; readonly report: string }>;
  /** Of what stands for QEMU. */
  readonly machine: number;
}

async function start(name: string): Promise<Running> {
  const args = ['try', '--listen', '127.0.0.1:0', '--qemu', 'live.iso', '--accel', 'tcg', '--format', 'json'];
  const env = { PATH: `${folder}:${process.env['PATH'] ?? ''}`, PID_FILE: path(name) };
  const stdio = ['ignore', 'pipe', 'ignore'] as const;
  const child = spawn(process.execPath, [program, ...args], { cwd: folder, env, stdio: [...stdio] });
  const code = new Promise<number | null>((resolve) => void child.on('exit', resolve));
  const report = child.stdout === null ? Promise.resolve('') : text(child.stdout);
  await until(() => existsSync(path(name)) && readFileSync(path(name), 'utf8').endsWith('\n'));
  return {
    kill: (signal) => void child.kill(signal),
    ended: Promise.all([code, report]).then(([ended, told]) => ({ code: ended, report: told })),
    machine: Number(readFileSync(path(name), 'utf8')),
  };
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    // One that is dead and that nobody has asked for is still in the table.
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}

describe('a signal', () => {
  it.each<NodeJS.Signals>(['SIGTERM', 'SIGINT'])(
    '%s ends it with a report, and the machine',
    async (signal) => {
      const trial = await start(`pid-${signal}`);
      expect(isAlive(trial.machine)).toBe(true);
      trial.kill(signal);
      const { code, report } = await trial.ended;
      expect([code, isAlive(trial.machine)]).toEqual([1, false]);
      expect(JSON.parse(report)).toMatchObject({ passed: false, missing: ['qemu'] });
    },
  );

  it.skipIf(!have('setpriv'))(`that kills it ends the machine${oracleNote('setpriv')}`, async () => {
    const trial = await start('pid-killed');
    trial.kill('SIGKILL');
    await trial.ended;
    await until(() => !isAlive(trial.machine));
    expect(isAlive(trial.machine)).toBe(false);
  });
});
