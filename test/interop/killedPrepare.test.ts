/**
 * A second run of `prepare` that is killed at each of its system calls in turn, by strace; that finds the disk full; and that
 * is watched while it succeeds. At each moment, every boot script is that of the first or of the second build, and all files
 * that it names are there, with the content of the same build. The next run completes what was left. A sample always runs;
 * all system calls, which takes half an hour, with IRONIC_COREOS_KILL=all.
 */

import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { cpSync, existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { cp, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { Manifest } from '../../src/hosts/artifacts/manifest.ts';
import { inputsNameImage } from '../support/agentImage.ts';
import { liveBuild } from '../support/newIso.ts';
import { liveIso } from '../support/liveIso.ts';
import { mountSmallDisk, smallDiskNote } from '../support/smallDisk.ts';
import {
  canTrace,
  killAt,
  killSeed,
  type Moment,
  momentsOf,
  sampleOf,
  traceNote,
} from '../support/strace.ts';
import { runCli, type RunResult } from '../support/runCli.ts';
import { programCommand, startProgram } from '../support/runProgram.ts';

const all = process.env['IRONIC_COREOS_KILL'] === 'all';

const hosts = ['a', 'b', 'c'].map((name, index) => `- {name: ${name}, mac: '52:54:00:12:34:0${index}'}\n`);

/** The options of a way to prepare, besides inventory, images, base URL and folder. */
const ways: Readonly<Record<string, readonly string[]>> = {
  'initramfs for each host': ['--artifacts=ign,initramfs,iso,ipxe,grub,pxelinux', '--prune'],
  'configs by URL': ['--prune'],
  'archives, and machines that are not listed': ['--artifacts=archive,ign,ipxe', '--discovery'],
  'ISOs by URL': ['--artifacts=iso,ipxe'],
  'layout metal3': ['--layout=metal3', '--force'],
  'layout bifrost': ['--layout=bifrost'],
};

/**
 * System calls that change a name or permissions, copy, or wait for the disk. Between them, only the contents of files with
 * temporary names change.
 */
const CALLS = [
  'rename',
  'unlink',
  'link',
  'mkdir',
  'rmdir',
  'fchmod',
  'chmod',
  'fchown',
  'fsync',
  'pwrite64',
  'copy_file_range',
  'ftruncate',
];

let cwd: string;
beforeAll(async () => {
  cwd = await realpath(await mkdtemp(join(tmpdir(), 'killed prepare ')));
  for (const build of [1, 2]) {
    const agent = `agent:\n  ironic.apiUrls: https://192.0.2.${build}\n  agent.image: registry.example.com/agent\n`;
    await writeFile(join(cwd, `all-${build}.yaml`), agent);
    await writeFile(join(cwd, `hosts-${build}.yaml`), `${agent}hosts:\n${hosts.join('')}`);
    await writeFile(
      join(cwd, `live-${build}.iso`),
      Buffer.concat([liveIso('2023-07'), Buffer.alloc(2048 * build)]),
    );
    // Of the release of the sample ISO.
    for (const [part, data] of Object.entries(
      liveBuild('fedora-coreos-99.20990101.dev.0', `6.18.${build}-200.fc44.x86_64`),
    ))
      await writeFile(join(cwd, `${part}-${build}`), data);
  }
});
afterAll(async () => {
  await rm(cwd, { recursive: true, force: true });
});

const isFixed = (options: readonly string[]): boolean =>
  options.some((option) => option.startsWith('--layout'));

function commandOf(options: readonly string[], build: number, folder: string): string[] {
  const inventory = `--inventory=${isFixed(options) ? 'all' : 'hosts'}-${build}.yaml`;
  const parts = ['kernel', 'initramfs', 'rootfs'].map((part) => `--${part}=${part}-${build}`);
  const images = [`--iso=live-${build}.iso`, ...parts];
  return ['prepare', inventory, ...images, '--base-url=http://h', `--output=${folder}`, ...options];
}

const run = (options: readonly string[], build: number, folder: string): Promise<RunResult> =>
  runCli(commandOf(options, build, folder), { cwd, env: { ...process.env, ...inputsNameImage } });

const digestOf = (path: string): string => createHash('sha256').update(readFileSync(path)).digest('hex');
const isScript = (path: string): boolean => /^(?:[^/]+\.ipxe|(?:ipxe|grub|pxelinux\.cfg)\/[^/]+)$/.test(path);

/** What a complete run leaves. */
interface Build {
  readonly manifest: string;
  readonly checksums: string;
  /** SHA-256 of the current files, by path. */
  readonly digests: ReadonlyMap<string, string>;
  /** Texts by path. */
  readonly scripts: ReadonlyMap<string, string>;
}

function readBuild(root: string): Build {
  const manifest = readFileSync(join(root, 'manifest.json'), 'utf8');
  const { files }: Manifest = JSON.parse(manifest);
  const current = files.filter(({ superseded }) => superseded !== true);
  const scripts = current.map(({ path }) => path).filter(isScript);
  return {
    manifest,
    checksums: readFileSync(join(root, 'SHA256SUMS'), 'utf8'),
    digests: new Map(current.map(({ path }) => [path, digestOf(join(root, path))])),
    scripts: new Map(scripts.map((path) => [path, readFileSync(join(root, path), 'utf8')])),
  };
}

/** The builds that a boot script is of. All files that it names are there, and of such a build. */
function buildsOfScript(root: string, path: string, builds: readonly Build[]): readonly Build[] {
  const text = readFileSync(join(root, path), 'utf8');
  const found = builds.filter(({ scripts }) => scripts.get(path) === text);
  expect(found, `${path} is of neither build`).not.toEqual([]);
  for (const [, named = ''] of text.matchAll(/http:\/\/h\/([\w./-]+)/g)) {
    const digest = digestOf(join(root, named));
    const isOfBuild = found.some(({ digests }) => digests.get(named) === digest);
    expect([path, named, isOfBuild]).toEqual([path, named, true]);
  }
  return found;
}

/** The build that the folder is of; undefined for a mixture of two, while `commit` lists the renames that remain. */
function checkFolder(root: string, builds: readonly Build[], options: readonly string[]): Build | undefined {
  const [manifest, checksums] = ['manifest.json', 'SHA256SUMS'].map((name) =>
    readFileSync(join(root, name), 'utf8'),
  );
  const found: (readonly Build[])[] = [
    builds.filter((build) => build.manifest === manifest),
    builds.filter((build) => build.checksums === checksums),
  ];
  for (const path of builds[0]?.scripts.keys() ?? []) found.push(buildsOfScript(root, path, builds));
  if (isFixed(options)) {
    for (const path of builds[0]?.digests.keys() ?? []) {
      const digest = digestOf(join(root, path));
      found.push(builds.filter(({ digests }) => digests.get(path) === digest));
    }
  }
  expect(found).not.toContainEqual([]);
  const build = builds.find((one) => found.every((ofOne) => ofOne.includes(one)));
  expect(build !== undefined || existsSync(join(root, '.ironic-coreos', 'commit'))).toBe(true);
  return build;
}

/** The next run leaves the second build, and nothing else. */
async function checkNextRun(folder: string, options: readonly string[]): Promise<void> {
  const { code, stderr } = await run(options, 2, folder);
  expect([code, stderr]).toEqual([0, expect.not.stringContaining('error')]);
  const root = resolve(cwd, folder);
  const { files }: Manifest = JSON.parse(readFileSync(join(root, 'manifest.json'), 'utf8'));
  for (const { path, sha256 } of files.filter((file) => file.sha256 !== undefined)) {
    expect([path, digestOf(join(root, path))]).toEqual([path, sha256]);
  }
  const names = readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1));
  const own = ['manifest.json', 'SHA256SUMS', '.ironic-coreos/journal', '.ironic-coreos/stamps.json'];
  expect(names.toSorted()).toEqual([...files.map(({ path }) => path), ...own].toSorted());
  expect(readFileSync(join(root, '.ironic-coreos/journal'), 'utf8')).toBe('');
}

/** Prepares both builds, the first one in `before`. */
async function prepareBuilds(options: readonly string[]): Promise<readonly Build[]> {
  for (const name of ['before', 'after']) await rm(join(cwd, name), { recursive: true, force: true });
  expect(await run(options, 1, 'before')).toMatchObject({ code: 0 });
  await cp(join(cwd, 'before'), join(cwd, 'after'), { recursive: true });
  expect(await run(options, 2, 'after')).toMatchObject({ code: 0 });
  return [readBuild(join(cwd, 'before')), readBuild(join(cwd, 'after'))];
}

function restore(folder: string): void {
  rmSync(join(cwd, folder), { recursive: true, force: true });
  cpSync(join(cwd, 'before'), join(cwd, folder), { recursive: true });
}

/** The files that are replaced together are renamed last. */
function chosen(moments: readonly Moment[]): readonly Moment[] {
  if (all) return moments;
  const together = moments.slice(-10);
  return [...sampleOf(moments, 2), ...sampleOf(together, 4)];
}

const DISK = 64 * 1024; // KiB
const diskNote = smallDiskNote();

/** KiB. */
const free = all ? [0, 4, 8, 16, 32, 64, 100, 200, 400, 800, 1600, 3200] : [8, 800];

describe.each(Object.entries(ways))('a second run of prepare, %s,', (name, options) => {
  let builds: readonly Build[];
  beforeAll(async () => {
    builds = await prepareBuilds(options);
  });

  it('succeeds', async () => {
    restore('watched');
    const child = startProgram(commandOf(options, 2, 'watched'), cwd);
    const end = once(child, 'close');
    // Between two looks at fixed names, a run may rename them: only scripts are compared here.
    while (child.exitCode === null) {
      for (const path of builds[0]?.scripts.keys() ?? []) buildsOfScript(join(cwd, 'watched'), path, builds);
      await wait(1);
    }
    expect(await end).toEqual([0, null]);
    expect(checkFolder(join(cwd, 'watched'), builds, options)).toBe(builds[1]);
  });

  if (!all && !/initramfs|bifrost/.test(name)) return;

  const seedNote = all ? '' : `, seed ${killSeed}`;
  it.skipIf(!canTrace)(`is killed${seedNote}${traceNote}`, { timeout: 3_600_000 }, async () => {
    const seen = { former: 0, new: 0, between: 0 };
    const command = [...programCommand, ...commandOf(options, 2, 'killed')];
    restore('killed');
    for (const moment of chosen(momentsOf(all ? CALLS : ['rename'], command, { cwd }))) {
      restore('killed');
      if (!killAt(moment, command, { cwd })) continue;
      const build = checkFolder(join(cwd, 'killed'), builds, options);
      if (build === undefined) seen.between++;
      else seen[build === builds[0] ? 'former' : 'new']++;
      await checkNextRun('killed', options);
    }
    if (all) console.log(name, JSON.stringify(seen));
    expect([seen.former > 0, seen.between > 0]).toEqual([true, true]);
  });

  it.skipIf(diskNote !== '')(`finds the disk full${diskNote}`, { timeout: 600_000 }, async () => {
    const failed: number[] = [];
    const disk = mountSmallDisk(DISK);
    onTestFinished(disk.remove);
    for (const kib of free) {
      disk.leave(DISK);
      const folder = join(disk.path, 'boot');
      await rm(folder, { recursive: true, force: true });
      await cp(join(cwd, 'before'), folder, { recursive: true });
      disk.leave(kib);
      const { code, stderr } = await run(options, 2, folder);
      const isFull = code === 1 && /no space/i.test(stderr);
      if (isFull) failed.push(kib);
      expect([isFull || code === 0, stderr]).toEqual([true, expect.any(String)]);
      checkFolder(folder, builds, options);
      disk.leave(DISK);
      await checkNextRun(folder, options);
    }
    expect(failed).not.toEqual([]);
  });
});
