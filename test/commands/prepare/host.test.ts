/** `prepare --host`: the files of some hosts are written, and those of the others stay. */

import { readFileSync } from 'node:fs';
import { rm, stat } from 'node:fs/promises';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { packedIso } from '../../support/minimalIso.ts';
import { inventory } from '../../support/twoHosts.ts';
import { expectConsistent, place } from './support.ts';

const folder = place();
const { fileOf, list, manifest, path, prepare, read, run, write } = folder;

/** Each host boots its ISO, so `dnsmasq.conf` contains both. */
const boot = ['--artifacts', 'iso,ipxe', '--dhcp-range', '192.0.2.100,192.0.2.200'];
const options = ['--iso', 'full.iso', '--base-url', 'http://192.0.2.1/boot', ...boot];
const changed = inventory.replace('name: worker-0', "name: worker-0\n  overrides: {boot.ip: ['ens3:dhcp']}");
const broken = inventory.replace('{agent.pullSecret: auth.json', '{agent.pullSecret: missing.json');

beforeAll(async () => write('full.iso', await packedIso()));
beforeEach(async () => {
  await rm(path('boot'), { recursive: true, force: true });
  await write('inv.yaml', inventory);
});

describe('prepare --host', () => {
  it('writes the files of this host, and leaves those of the other as they are', async () => {
    await prepare(...options);
    const [mine, others] = [fileOf('worker-0', 'live.iso'), fileOf('worker-1', 'live.iso')];
    const { ino, mtimeMs } = await stat(path(others));
    await write('inv.yaml', `${changed}- {name: worker-2, mac: '52:54:00:12:34:58'}\n`);
    const { code, stderr } = await prepare(...options, '--host', 'worker-0');
    expect([code, stderr]).toEqual([0, expect.stringContaining('1 host prepared, 2 not selected')]);
    expect(fileOf('worker-0', 'live.iso')).not.toBe(mine);
    expect(fileOf('worker-1', 'live.iso')).toBe(others);
    expect(await stat(path(others))).toMatchObject({ ino, mtimeMs });
    expect(manifest().hosts.map(({ name, state }) => [name, state])).toEqual([
      ['worker-0', 'prepared'],
      ['worker-1', 'prepared'],
    ]);
    await expectConsistent(folder);
  });

  it('results in the folder of a run for all hosts if only this host has changed', async () => {
    await prepare(...options);
    await write('inv.yaml', changed);
    await prepare(...options, '--host', 'worker-0');
    const files = await list();
    const contents = files.map((name) => readFileSync(path('boot', name)));
    const { stderr } = await prepare(...options);
    expect(stderr).toContain(' 0 files written');
    expect(await list()).toEqual(files);
    expect(files.map((name) => readFileSync(path('boot', name)))).toEqual(contents);
  });

  it('prepares a valid host, whatever is wrong with another one', async () => {
    await prepare(...options);
    await write('inv.yaml', broken);
    const { code, stderr } = await prepare(...options, '--host', 'worker-0');
    expect([code, stderr]).toEqual([0, expect.not.stringContaining('missing.json')]);
    expect(read('boot', 'dnsmasq.conf')).toContain(`/${fileOf('worker-1', 'live.iso')}`);
  });

  it('keeps the files of a host that the inventory no longer lists, without a message', async () => {
    await prepare(...options);
    await write('inv.yaml', inventory.slice(0, inventory.indexOf('- name: worker-1')));
    const { stderr } = await prepare(...options, '--host', 'worker-0');
    expect(stderr).not.toContain('--prune');
    expect(await list()).toContain(fileOf('worker-1', 'live.iso').slice('boot/'.length));
    expect(read('boot', 'dnsmasq.conf')).not.toContain('worker-1');
  });

  it.each([
    ['an unknown host', ['--host', 'worker-9'], 'inv.yaml has no host "worker-9"'],
    ['--prune', ['--host', 'worker-0', '--prune'], '--prune cannot be combined with --host'],
    ['a layout for all machines', ['--host', 'worker-0', '--layout', 'bifrost'], '--host cannot be combined'],
  ])('refuses %s', async (_title, args, message) => {
    const { code, stderr } = await prepare('--iso', 'full.iso', '--base-url', 'http://192.0.2.1', ...args);
    expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
  });

  it('requires an inventory', async () => {
    const { code, stderr } = await run(['prepare', '--host', 'worker-0', '--artifacts', 'ign', '-o', 'boot']);
    expect([code, stderr]).toEqual([2, expect.stringContaining('--host requires --inventory')]);
  });
});

it('dnsmasq.conf contains the ISO that an invalid host keeps', async () => {
  await prepare(...options);
  const before = read('boot', 'dnsmasq.conf');
  expect(before).toContain(`/${fileOf('worker-1', 'live.iso')}`);
  await write('inv.yaml', broken);
  const { code } = await prepare(...options);
  expect([code, read('boot', 'dnsmasq.conf')]).toEqual([1, before]);
});
