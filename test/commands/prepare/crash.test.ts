/** What is left of a folder when the disk is full, or nothing can be written. test/interop/killedPrepare.test.ts kills `prepare`. */

import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, rmSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { liveIso } from '../../support/liveIso.ts';
import { expectConsistent, place } from './support.ts';

const here = place();
const { list, manifest, path, run, write } = here;

const hosts = (count: number): string =>
  Array.from({ length: count }, (_, index) => {
    const mac = `52:54:00:12:34:${index.toString(16).padStart(2, '0')}`;
    return `- {name: worker-${index}, mac: '${mac}'}\n`;
  }).join('');

/** Two versions of everything: another API, and another release. */
async function writeVersions(): Promise<void> {
  for (const version of [1, 2]) {
    const agent = `agent:\n  ironic.apiUrls: https://192.0.2.${version}\n`;
    await write(`hosts-${version}.yaml`, `${agent}hosts:\n${hosts(12)}`);
    await write(`live-${version}.iso`, Buffer.concat([liveIso('2023-07'), Buffer.alloc(2048 * version)]));
  }
}
beforeAll(writeVersions);

const diskRun = (version: number): string[] => [
  'prepare',
  `--inventory=hosts-${version}.yaml`,
  `--iso=live-${version}.iso`,
  '--output=disk/boot',
  '--artifacts=ign,iso,ipxe',
  '--base-url=http://h',
];

const isRoot = process.getuid?.() === 0;
const canMount = isRoot && spawnSync('unshare', ['-m', 'mount', '-t', 'tmpfs', 'none', '/mnt']).status === 0;
const note = canMount ? '' : ' (skipped: only root can mount file systems)';
const mount = (...args: readonly string[]): void => {
  const { status, stderr } = spawnSync('mount', args, { encoding: 'utf8' });
  expect([status, stderr]).toEqual([0, '']);
};

describe.skipIf(!canMount)(`prepare on a file system of its own${note}`, () => {
  beforeAll(() => {
    mkdirSync(path('disk'));
    mount('-t', 'tmpfs', '-o', 'size=64m', 'none', path('disk'));
  });
  afterAll(() => {
    spawnSync('umount', [path('disk')]);
    rmSync(path('disk'), { recursive: true, force: true });
  });

  it('says that the disk is full, leaves what is served, and goes on when there is room', async () => {
    expect((await run(diskRun(1))).code).toBe(0);
    const before = manifest('disk/boot').files.map((file) => file.path);
    const used = Number(spawnSync('du', ['-sk', path('disk')], { encoding: 'utf8' }).stdout.split('\t')[0]);
    mount('-o', `remount,size=${used + 300}k`, path('disk'));
    const { code, stderr } = await run(diskRun(2));
    expect([code, stderr]).toEqual([1, expect.stringMatching(/no space|full/i)]);
    expect(stderr).not.toMatch(/ENOSPC|\n\s+at /);
    const names = await list('disk/boot');
    expect(names.filter((name) => name.endsWith('.tmp'))).toEqual([]);
    expect(names).toEqual(expect.arrayContaining(before));
    mount('-o', 'remount,size=128m', path('disk'));
    expect((await run([...diskRun(2), '--prune'])).code).toBe(0);
    await expectConsistent(here, 'disk/boot');
  });

  it('says that nothing can be written, and changes nothing', async () => {
    const before = await list('disk/boot');
    mount('-o', 'remount,ro', path('disk'));
    const { code, stderr } = await run(diskRun(1));
    mount('-o', 'remount,rw', path('disk'));
    expect([code, stderr]).toEqual([1, expect.stringMatching(/^error: .*disk\/boot.*read-only/i)]);
    expect(await list('disk/boot')).toEqual(before);
    await expectConsistent(here, 'disk/boot');
  });
});

describe.skipIf(isRoot)(
  `prepare without a permission${isRoot ? ' (skipped: root has all of them)' : ''}`,
  () => {
    it('says so', async () => {
      mkdirSync(path('closed'));
      chmodSync(path('closed'), 0o555);
      const { code, stderr } = await run([
        'prepare',
        '--inventory',
        'hosts-1.yaml',
        '--artifacts',
        'ign',
        '-o',
        'closed/b',
      ]);
      chmodSync(path('closed'), 0o755);
      expect([code, stderr]).toEqual([1, expect.stringMatching(/^error: /)]);
    });
  },
);
