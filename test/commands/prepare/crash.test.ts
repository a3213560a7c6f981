/** What is left of a folder when `prepare` is killed, the disk is full, or nothing can be written. */

import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { liveIso } from '../../support/liveIso.ts';
import { type BuiltProgram, buildProgram } from '../../support/builtProgram.ts';
import { expectConsistent, place } from './support.ts';

const here = place();
const { list, manifest, path, read, run, write } = here;

let program: BuiltProgram;
beforeAll(async () => {
  program = await buildProgram();
}, 60_000);
afterAll(() => program.remove());

const hosts = (count: number): string =>
  Array.from({ length: count }, (_, index) => {
    const mac = `52:54:00:12:34:${index.toString(16).padStart(2, '0')}`;
    return `- {name: worker-${index}, mac: '${mac}'}\n`;
  }).join('');

/** Two versions of everything: another API, and another release. */
async function writeVersions(): Promise<void> {
  for (const version of [1, 2]) {
    const agent = `agent:\n  ironic.apiUrls: https://192.0.2.${version}\n`;
    await write(`all-${version}.yaml`, agent);
    await write(`hosts-${version}.yaml`, `${agent}hosts:\n${hosts(12)}`);
    await write(`live-${version}.iso`, Buffer.concat([liveIso('2023-07'), Buffer.alloc(2048 * version)]));
  }
}
beforeAll(writeVersions);

const digestOf = (name: string): string =>
  createHash('sha256')
    .update(readFileSync(path(name)))
    .digest('hex');
/** Of every file that a manifest lists, by path. */
const digestsOf = (folder: string): Map<string, string> =>
  new Map(manifest(folder).files.map((file) => [file.path, file.sha256]));

/** Runs until it ends, or for so many milliseconds; tells whether it was killed. */
async function runFor(args: readonly string[], milliseconds?: number): Promise<boolean> {
  const child = program.start(args, path());
  let said = '';
  child.stderr?.on('data', (data: Buffer) => (said += data.toString()));
  const end = once(child, 'close');
  if (milliseconds !== undefined) {
    await Promise.race([end, wait(milliseconds)]);
    child.kill('SIGKILL');
  }
  const [code, signal] = await end;
  if (signal === 'SIGKILL') return true;
  expect([code, said]).toEqual([0, expect.not.stringContaining('error')]);
  return false;
}

/** Own files, and none that are temporary. */
function expectNoLeftovers(folder: string): void {
  const notes = readdirSync(path(folder, '.ironic-coreos')).toSorted();
  expect(notes).toEqual(['journal', 'stamps.json']);
  expect(read(folder, '.ironic-coreos', 'journal')).toBe('');
}

const folderRun = (version: number): string[] => [
  'prepare',
  `--inventory=hosts-${version}.yaml`,
  `--iso=live-${version}.iso`,
  '--output=boot',
  '--artifacts=ign,iso,initramfs,ipxe',
  '--base-url=http://h',
  '--prune',
];

const layoutRun = (version: number): string[] => [
  'prepare',
  '--layout=bifrost',
  `--inventory=all-${version}.yaml`,
  `--iso=live-${version}.iso`,
  '--output=httpboot',
  '--base-url=http://h',
];

const diskRun = (version: number): string[] => [
  'prepare',
  `--inventory=hosts-${version}.yaml`,
  `--iso=live-${version}.iso`,
  '--output=disk/boot',
  '--artifacts=ign,iso,ipxe',
  '--base-url=http://h',
];

const kills = 8;

describe('prepare, killed at any moment', () => {
  it('serves whole files of either version, and the next run cleans up', { timeout: 120_000 }, async () => {
    const known = new Map<string, Set<string>>();
    let longest = 0;
    for (const version of [2, 1]) {
      const start = Date.now();
      await runFor(folderRun(version));
      longest = Math.max(longest, Date.now() - start);
      for (const [name, sha256] of digestsOf('boot'))
        known.set(name, (known.get(name) ?? new Set()).add(sha256));
    }
    let killed = 0;
    for (let round = 0; round < kills || (killed === 0 && round < 8 * kills); round++) {
      const before = digestsOf('boot');
      // Most of the time goes into starting; what is written comes in the second half.
      const moment = longest * (0.3 + 0.7 * Math.random());
      const start = Date.now();
      if (await runFor(folderRun(2 - (round % 2)), moment)) killed += 1;
      // On a busy machine, the first runs may have taken much longer than this one.
      else longest = Date.now() - start;
      for (const name of before.keys()) {
        if (!existsSync(path('boot', name))) continue; // pruned, which is after everything else
        expect([...(known.get(name) ?? [])], `${name} after ${moment} ms`).toContain(
          digestOf(`boot/${name}`),
        );
      }
      for (const name of (await list()).filter((each) => each.endsWith('.ipxe'))) {
        for (const [, image = ''] of read('boot', name).matchAll(/http:\/\/h\/(images\/\S+)/g))
          expect(existsSync(path('boot', image)), `${image} of ${name} after ${moment} ms`).toBe(true);
      }
    }
    expect(killed).toBeGreaterThan(0);
    await runFor(folderRun(1));
    await expectConsistent(here);
    expectNoLeftovers('boot');
  });
});

describe('prepare --layout bifrost, killed at any moment', () => {
  it('has all files of one version, or knows that it was about to', { timeout: 120_000 }, async () => {
    const versions: Map<string, string>[] = [];
    let longest = 0;
    for (const version of [2, 1]) {
      const start = Date.now();
      await runFor(layoutRun(version));
      longest = Math.max(longest, Date.now() - start);
      versions.push(digestsOf('httpboot'));
    }
    for (let round = 0; round < kills; round++) {
      const moment = longest * (0.3 + 0.7 * Math.random());
      await runFor(layoutRun(2 - (round % 2)), moment);
      const isCommitting = existsSync(path('httpboot', '.ironic-coreos', 'commit'));
      const served = [...(versions[0]?.keys() ?? [])].map((name) => [name, digestOf(`httpboot/${name}`)]);
      const isOneVersion = versions.some((version) =>
        served.every(([name = '', sha]) => version.get(name) === sha),
      );
      expect(isOneVersion || isCommitting, `after ${moment} ms: ${JSON.stringify(served)}`).toBe(true);
    }
    await runFor(layoutRun(1));
    await expectConsistent(here, 'httpboot');
    expectNoLeftovers('httpboot');
  });
});

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
    const before = digestsOf('disk/boot');
    const used = Number(spawnSync('du', ['-sk', path('disk')], { encoding: 'utf8' }).stdout.split('\t')[0]);
    mount('-o', `remount,size=${used + 300}k`, path('disk'));
    const { code, stderr } = await run(diskRun(2));
    expect([code, stderr]).toEqual([1, expect.stringMatching(/no space|full/i)]);
    expect(stderr).not.toMatch(/ENOSPC|\n\s+at /);
    const names = await list('disk/boot');
    expect(names.filter((name) => name.endsWith('.tmp'))).toEqual([]);
    expect(names).toEqual(expect.arrayContaining([...before.keys()]));
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
