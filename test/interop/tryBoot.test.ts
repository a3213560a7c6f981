/**
 * `try --qemu` with real machines that boot and call: from CD, over HTTP as a BMC reads it, over the network from `serve`
 * and from a prepared folder. A boot takes some ten seconds without virtualization, so only those who ask get them.
 */

import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type GivenTry, startTry } from '../commands/try/startTry.ts';
import { runCli } from '../support/runCli.ts';
import { have, oracleNote } from '../support/programs.ts';
import { agentSystem, makeBootIso } from './boot/bootIso.js';

describe.skipIf(!have('boots'))(`a machine boots and calls home${oracleNote('boots')}`, () => {
  const folder = mkdtempSync(join(tmpdir(), 'try boot '));
  const path = (name: string): string => join(folder, name);
  /** Nothing listens there, as long as these are the only tests that run. */
  const apiPort = 26_385;
  const folderPort = 26_386;

  beforeAll(async () => {
    mkdirSync(path('work'));
    makeBootIso(path('live.iso'), path('work'), agentSystem);
    writeFileSync(path('inv.yaml'), inventoryFor('https://192.0.2.9'));
    writeFileSync(path('here.yaml'), inventoryFor(`http://192.0.2.1:${apiPort}`));
    const render = ['render', '--api-url', `http://192.0.2.1:${apiPort}`, '--no-ssh-key', '-o', 'agent.ign'];
    const base = `http://192.0.2.1:${folderPort}/boot`;
    const artifacts = ['--base-url', base, '--artifacts', 'archive,ign,ipxe'];
    for (const args of [
      render,
      ['iso', 'ignition', 'embed', '-i', 'agent.ign', '-o', 'worker.iso', 'live.iso'],
      ['iso', 'kargs', 'modify', '-a', 'agent.crash', '-o', 'crash.iso', 'worker.iso'],
      ['prepare', '--inventory', 'here.yaml', '--iso', 'live.iso', '-o', 'www', ...artifacts],
    ]) {
      const { code, stderr } = await runCli(args, { cwd: folder });
      if (code !== 0) throw new Error(stderr);
    }
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const served = { inventory: 'inv.yaml', iso: ['live.iso'], serveListen: '127.0.0.1:0', qemu: 'worker-0' };
  const usual = { memory: '1024', timeout: '150s', listen: `127.0.0.1:${apiPort}` };
  const network = ['fetched the boot script', 'fetched the kernel', 'fetched the initramfs', 'heartbeat'];

  it.each<readonly [string, GivenTry, readonly string[]]>([
    [
      'from CD, BIOS',
      { qemu: 'worker.iso', save: 'kept', console: 'console.log' },
      ['inventory', 'heartbeat'],
    ],
    ['from CD, UEFI', { qemu: 'worker.iso', firmware: 'uefi' }, ['inventory', 'heartbeat']],
    ['over the network, BIOS', served, network],
    ['over the network, UEFI', { ...served, firmware: 'uefi' }, network],
    ['from an ISO over HTTP', { ...served, boot: 'cd' }, ['of the ISO', 'inventory', 'heartbeat']],
    ['from a prepared folder', { qemu: 'www' }, network],
  ])('%s', async (_title, options, seen) => {
    const trial = await startTry({ ...usual, accel: 'tcg', ...options, format: 'json' }, folder);
    const { code, report } = await trial.ended;
    expect([code, trial.said()]).toEqual([0, expect.anything()]);
    for (const text of seen) expect(report).toContain(text);
  });

  it('with KVM, or says at once how to do without where it does not work', async () => {
    const trial = await startTry({ ...usual, qemu: 'worker.iso', format: 'json' }, folder);
    const { code, report } = await trial.ended;
    const [text, expected] = code === 0 ? [report, 'heartbeat'] : [trial.said(), 'use --accel tcg'];
    expect(text).toContain(expected);
  });

  it('and what it left is its console and its inventory', () => {
    expect(readFileSync(path('console.log'), 'latin1')).toContain('AGENT-NODE');
    expect(JSON.parse(readFileSync(path('kept/qemu.json'), 'utf8'))).toMatchObject({
      inventory: { system_vendor: { manufacturer: 'QEMU' } },
    });
  });

  it('or does not, and the report says how far it came', async () => {
    const trial = await startTry({ ...usual, accel: 'tcg', qemu: 'crash.iso' }, folder);
    const { code, report } = await trial.ended;
    expect([code, report]).toEqual([1, expect.stringContaining('powered off')]);
    expect(trial.said()).toContain('console| AGENT-FAILED as it was told to');
  });
});

function inventoryFor(url: string): string {
  return `agent: {ironic.apiUrls: '${url}', boot.kernelArguments: [console=ttyS0]}
hosts:
- {name: worker-0, mac: '52:54:00:00:00:01'}
- {name: worker-1, mac: '52:54:00:00:00:02'}
`;
}
