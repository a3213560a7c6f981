/** Edits in place that get a signal, or whose data does not reach the disk, at each of their system calls, by strace. */

import { spawnSync } from 'node:child_process';
import { copyFile, mkdtemp, readdir, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { liveIso } from '../../support/liveIso.ts';
import { have, oracleNote } from '../../support/programs.ts';
import { runCli } from '../../support/runCli.ts';
import { programCommand } from '../../support/runProgram.ts';

const canTrace = have('strace') && spawnSync('strace', ['-e', 'trace=none', 'true']).status === 0;
const note = have('strace') && !canTrace ? ' (skipped: strace may not trace here)' : oracleNote('strace');
const words = ['iso', 'kargs', 'modify', '-a', 'x=1'];

let cwd: string;
let before: Buffer;
let after: Buffer;
beforeAll(async () => {
  cwd = await realpath(await mkdtemp(join(tmpdir(), 'disturbed edits ')));
  await writeFile(join(cwd, 'original.iso'), liveIso('2023-07'));
  await copyFile(join(cwd, 'original.iso'), join(cwd, 'coreos.iso'));
  await runCli([...words, 'coreos.iso'], { cwd });
  before = await readFile(join(cwd, 'original.iso'));
  after = await readFile(join(cwd, 'coreos.iso'));
});
afterAll(async () => {
  await rm(cwd, { recursive: true, force: true });
});

interface Disturbed {
  readonly status: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stderr: string;
  readonly image: Buffer;
}

/** @param injections as strace has them, for example `fdatasync:error=EIO:when=1` */
async function disturb(...injections: readonly string[]): Promise<Disturbed> {
  await copyFile(join(cwd, 'original.iso'), join(cwd, 'coreos.iso'));
  const calls = injections.map((injection) => injection.split(':')[0]).join(',');
  const inject = injections.flatMap((injection) => ['-e', `inject=${injection}`]);
  const args = ['-f', '-qq', '-o', '/dev/null', '-e', `trace=${calls}`, ...inject];
  const { status, signal, stderr } = spawnSync(
    'strace',
    [...args, ...programCommand, ...words, 'coreos.iso'],
    {
      cwd,
      env: { ...process.env, UV_THREADPOOL_SIZE: '1' },
      encoding: 'utf8',
    },
  );
  return { status, signal, stderr, image: await readFile(join(cwd, 'coreos.iso')) };
}

describe.skipIf(!canTrace)(`an edit in place${note}`, () => {
  it.each<[NodeJS.Signals, string]>([
    ['SIGINT', 'pwrite64:signal=SIGINT:when=1'],
    ['SIGTERM', 'pwrite64:signal=SIGTERM:when=3'],
    ['SIGINT', 'fdatasync:signal=SIGINT:when=1'],
    ['SIGHUP', 'fdatasync:signal=SIGHUP:when=2'],
    ['SIGTERM', 'ftruncate:signal=SIGTERM:when=1'],
    ['SIGINT', 'fdatasync:signal=SIGINT:when=1+1'],
  ])('is complete when %s ends the program: %s', async (name, injection) => {
    const { image, signal, stderr } = await disturb(injection);
    expect([image.equals(after), signal, stderr]).toEqual([
      true,
      name,
      `coreos.iso: the edit was completed before ${name} ended the program\n`,
    ]);
    expect((await readdir(cwd)).toSorted()).toEqual(['coreos.iso', 'original.iso']);
  });

  it.each([
    [
      'is undone if its journal does not reach the disk',
      ['fdatasync:error=EIO:when=1'],
      'before',
      'Cannot write coreos.iso: I/O error',
    ],
    [
      'is undone if the disk is full',
      ['pwrite64:error=ENOSPC:when=1'],
      'before',
      'No space left to write coreos.iso',
    ],
    [
      'says that it is unfinished if it cannot be undone, and the next edit completes it',
      ['fdatasync:error=EIO:when=2+1'],
      'unfinished',
      'coreos.iso: the edit failed and cannot be undone now, so the image is unfinished\nhint: check the disk, then repeat the edit',
    ],
    [
      'says that it is unfinished if it can neither be written nor be undone',
      ['pwrite64:error=ENOSPC:when=8+1'],
      'unfinished',
      'the edit failed and cannot be undone now, so the image is unfinished',
    ],
    [
      'is undone if only the sync of that fails',
      ['pwrite64:error=ENOSPC:when=6+1', 'fdatasync:error=ENOSPC:when=2+1'],
      'before',
      'No space left to write coreos.iso',
    ],
    [
      'says that it is complete if only the last sync fails',
      ['fdatasync:error=EIO:when=3'],
      'after',
      'coreos.iso: the edit is complete, but the system did not write all of it to the disk\nhint: check the disk',
    ],
  ])('%s', async (_title, injections, state, message) => {
    const { image, status, stderr } = await disturb(...injections);
    expect([status, stderr]).toEqual([1, expect.stringContaining(message)]);
    const isRefused = (await runCli(['iso', 'kargs', 'show', 'coreos.iso'], { cwd })).code === 1;
    const seen = image.equals(before) ? 'before' : image.equals(after) ? 'after' : 'changed';
    expect([isRefused, seen]).toEqual(state === 'unfinished' ? [true, 'changed'] : [false, state]);
    if (state === 'after') return; // the argument would be appended again
    expect((await runCli([...words, 'coreos.iso'], { cwd })).code).toBe(0);
    expect(await readFile(join(cwd, 'coreos.iso'))).toEqual(after);
  });
});
