/**
 * Commands that write files, killed at each of their system calls in turn, by strace: each file is then missing, or complete.
 * From each state that a kill leaves, the next run writes what a run without interruption writes. A sample of commands and system
 * calls always runs; all of them, which takes an hour, with IRONIC_COREOS_KILL=all.
 */

import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFile, mkdir, mkdtemp, readdir, readFile, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CommandRun, commandRuns, writeInputs } from '../support/commandRuns.ts';
import { canTrace, killAt, momentsOf, traceNote } from '../support/strace.ts';
import { programCommand } from '../support/runProgram.ts';

/** System calls that change a file or a folder, or wait for the disk. */
const CALLS = 'mkdir write pwrite64 ftruncate fchmod chmod fsync fdatasync link rename unlink rmdir'.split(
  ' ',
);

const all = process.env['IRONIC_COREOS_KILL'] === 'all';
const usual = new Set(['iso ignition embed', 'iso network extract']);
const calls = all ? CALLS : ['fchmod', 'fsync', 'link', 'unlink'];

/** The commands whose result is in files, without servers, downloads (which need a server), and edits in place. */
const writing = Object.entries(commandRuns).flatMap(([command, runs]) =>
  runs
    .filter(({ args, inPlace, until }) => {
      const hasOutput = args.some((arg) => ['-o', '-C', 'out'].includes(arg));
      return hasOutput && inPlace !== true && until === undefined && !args.join(' ').includes('SERVER');
    })
    .filter((_run, index) => all || (usual.has(command) && index === 0))
    .map((run): [string, string, CommandRun] => [command, run.args.join(' '), run]),
);

/** `quickstart` embeds a config in this file after it has written it; killedEdits.test.ts is about such edits. */
const EDITED = 'out/sample-live.iso';

let root: string;
let cwd: string;
const env = { PATH: process.env['PATH'], SOURCE_DATE_EPOCH: '1700000000' };
beforeAll(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), 'killed outputs ')));
  cwd = join(root, 'run');
  await writeInputs(root);
});
afterAll(async () => {
  await rm(root, { recursive: true, force: true });
});

async function emptyFolder(): Promise<void> {
  await rm(cwd, { recursive: true, force: true });
  await mkdir(cwd);
  await copyFile(join(root, 'in', 'hosts.yaml'), join(cwd, 'hosts.yaml'));
}

const place = (): { readonly cwd: string; readonly env: NodeJS.ProcessEnv } => ({
  cwd,
  env: { ...env, HOME: join(root, 'home') },
});

function start(words: readonly string[]): ReturnType<typeof spawnSync> {
  const [file = '', ...args] = [...programCommand, ...words];
  return spawnSync(file, args, { ...place(), encoding: 'utf8' });
}

/** Files and folders by their paths; files with their digests. */
async function everything(): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>();
  for (const entry of await readdir(cwd, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    const hash = createHash('sha256');
    const digest = entry.isFile() ? hash.update(await readFile(path)).digest('hex') : '';
    found.set(path.slice(cwd.length + 1), digest);
  }
  return found;
}

/** The files without those of a run in progress. */
function outputsIn(found: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  return new Map([...found].filter(([path, digest]) => digest !== '' && !isTemporary(path)));
}

/** The part of the name of a temporary file that differs in each run, and a lock, which names the process. */
const OF_PROCESS = /\.[0-9a-f]{12}(?=\.tmp)|\.lock\/.*/g;

/** Equal for what differs only by the process that left it. */
function stateOf(found: ReadonlyMap<string, string>): string {
  return [...found]
    .map((entry) => entry.join(',').replaceAll(OF_PROCESS, ''))
    .toSorted()
    .join('\n');
}

/** A hidden file beside the output, a lock, or the notes of `prepare` about its own work. */
function isTemporary(path: string): boolean {
  return /\.(?:tmp|lock)(?:$|\/)/.test(path) || /(^|\/)\.ironic-coreos(\/|$)/.test(path);
}

async function leftovers(): Promise<readonly string[]> {
  const names = await readdir(cwd, { recursive: true });
  return names.filter((name) => /\.(?:lock|partial)$/.test(name) || name.endsWith('commit'));
}

describe.skipIf(!canTrace)(`commands that are killed while they write${traceNote}`, () => {
  it.each(writing)('%s %s', { timeout: 7_200_000 }, async (command, _args, run) => {
    const words = [...command.split(' '), ...run.args];
    const again = [...command.split(' '), ...(run.again ?? run.args)];
    await emptyFolder();
    expect(start(words)).toMatchObject({ status: 0 });
    const complete = outputsIn(await everything());
    let kills = 0;
    const seen = new Set<string>();
    const repeated = new Set<string>();
    await emptyFolder();
    const moments = momentsOf(calls, [...programCommand, ...words], place());
    for (const moment of moments.filter(({ threads }) => threads === 'all')) {
      await emptyFolder();
      if (!killAt(moment, [...programCommand, ...words], place())) continue;
      kills++;
      const found = await everything();
      const left = outputsIn(found);
      for (const [path, digest] of [...left].filter(([name]) => name !== EDITED))
        expect([moment, path, digest]).toEqual([moment, path, complete.get(path)]);
      seen.add(left.size === complete.size ? 'complete' : 'incomplete');
      if (repeated.has(stateOf(found))) continue;
      repeated.add(stateOf(found));
      expect(start(again)).toMatchObject({ status: 0 });
      expect([moment, outputsIn(await everything()), await leftovers()]).toEqual([moment, complete, []]);
    }
    expect(seen).toEqual(new Set(['incomplete', 'complete']));
    if (all) console.log(`${words.join(' ')}: ${kills} kills, ${repeated.size} different states`);
  });
});
