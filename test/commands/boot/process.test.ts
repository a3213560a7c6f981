/** `boot` as a process: a signal restores the machine, and no argument or output contains a password. */

import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, describe, expect, it } from 'vitest';
import { bmcModels, bmcUser, startFakeBmc } from '../../support/fakeBmc.ts';
import { writeAgentIso } from '../../support/agentIso.ts';
import { until } from '../../support/serveFixtures.ts';
import { program } from '../../support/packageFolder.ts';

const folder = mkdtempSync(join(tmpdir(), 'boot process '));
await writeAgentIso(folder, 'live.iso', 'http://192.0.2.1:6385');
writeFileSync(join(folder, 'bmc.json'), JSON.stringify(bmcUser), { mode: 0o600 });
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('a signal', () => {
  it.each<['On' | 'Off', NodeJS.Signals]>([
    ['On', 'SIGINT'],
    ['Off', 'SIGTERM'],
  ])('a machine that was %s is as before after %s', async (power, signal) => {
    const bmc = await startFakeBmc({ model: bmcModels.ilo6, power });
    const servers = ['--listen', '127.0.0.1:0', '--serve-listen', '127.0.0.1:0'];
    const machine = ['--bmc', bmc.origin, '--credentials', 'bmc.json', '--iso', 'live.iso'];
    const child = spawn(process.execPath, [program, '--verbose', 'boot', '--yes', ...machine, ...servers], {
      cwd: folder,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let said = '';
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (part: Buffer) => (said += part.toString()));
    const ended = new Promise<number | null>((resolve) => void child.on('exit', resolve));
    await until(() => said.includes('powered on') || child.exitCode !== null);
    expect([bmc.state.power, bmc.state.images.size]).toEqual(['On', 1]);
    child.kill(signal);
    expect(await ended).toBe(1);
    expect([bmc.state.power, bmc.state.images.size]).toEqual([power, 0]);
    expect(said).toContain('restoring 1 machine');
    expect(said).not.toContain(bmcUser.password);
    await bmc.close();
  });
});

describe('the check of many machines', () => {
  it('prints no warning of Node', async () => {
    const started = await Promise.all(Array.from({ length: 12 }, () => startFakeBmc()));
    const hosts = started.map(({ host }, index) => {
      const mac = `52:54:00:00:00:${String(index + 10)}`;
      return `- {name: w-${index}, mac: '${mac}', bmc: {address: 'redfish-virtualmedia+http://${host}'}}`;
    });
    const settings = "agent: {ironic.apiUrls: 'http://192.0.2.1:6385', agent.image: registry.example.com/a}";
    writeFileSync(join(folder, 'many.yaml'), [settings, 'hosts:', ...hosts, ''].join('\n'));
    const args = [
      'boot',
      '--check',
      '--inventory',
      'many.yaml',
      '--credentials',
      'bmc.json',
      '--iso',
      'live.iso',
      '--grow',
    ];
    const names = hosts.map((_host, index) => `w-${index}`);
    const child = spawn(process.execPath, [program, ...args, ...names], {
      cwd: folder,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
    expect(stdout).toContain('12 of 12 can be booted');
    expect(stderr).not.toContain('Warning');
    await Promise.all(started.map((bmc) => bmc.close()));
  });
});

const isSystem = (path: string): boolean => path.endsWith(`/Systems/${bmcModels.ilo6.system.id}`);

describe('a signal during the check', () => {
  it.each<NodeJS.Signals>(['SIGINT', 'SIGTERM'])('%s closes the session', async (signal) => {
    const bmc = await startFakeBmc({
      model: bmcModels.ilo6,
      // It does not answer.
      fault: ({ path }) => (isSystem(path) ? () => undefined : undefined),
    });
    const args = ['boot', '--check', '--bmc', bmc.origin, '--credentials', 'bmc.json', '--iso', 'live.iso'];
    const stdio = ['ignore', 'ignore', 'pipe'] as const;
    const child = spawn(process.execPath, [program, ...args], { cwd: folder, stdio: [...stdio] });
    const stderr = text(child.stderr);
    const ended = new Promise<number | null>((resolve) => void child.on('exit', resolve));
    await until(() => bmc.seen.some(({ path }) => isSystem(path)) || child.exitCode !== null);
    child.kill(signal);
    expect([await ended, await stderr]).toEqual([1, 'error: canceled; nothing was booted\n']);
    expect(bmc.seen.filter(({ path }) => path.includes('/Sessions')).map(({ method }) => method)).toEqual([
      'POST',
      'DELETE',
    ]);
    await bmc.close();
  });
});
