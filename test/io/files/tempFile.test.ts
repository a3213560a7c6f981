/** Temporary files of programs that end while they write. */

import { spawnSync } from 'node:child_process';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { liveIso } from '../../support/liveIso.ts';
import { have, oracleNote } from '../../support/programs.ts';
import { programCommand } from '../../support/runProgram.ts';

let cwd: string;
beforeEach(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'temp file '));
});
afterEach(() => rm(cwd, { recursive: true }));

const temporaryFiles = async (): Promise<string[]> =>
  (await readdir(cwd)).filter((name) => name.endsWith('.tmp'));

describe('a program that is killed while it writes', () => {
  beforeEach(async () => {
    await writeFile(join(cwd, 'coreos.iso'), liveIso('2023-07'));
    await writeFile(join(cwd, 'secret.ign'), '{"ignition":{"version":"3.4.0"}}');
  });

  const image = ['iso', 'ignition', 'embed', '-i', 'secret.ign', '-o', 'out.iso', 'coreos.iso'];
  const archive = ['pxe', 'ignition', 'wrap', '-i', 'secret.ign', '-o', 'out.img'];

  it.skipIf(!have('strace')).each<[string, string[]]>([
    ['a new image', image],
    ['an archive', archive],
  ])(`leaves no output that is not complete: %s${oracleNote('strace')}`, async (_title, words) => {
    interrupt('SIGKILL', words);
    expect(await temporaryFiles()).toHaveLength(1);
    expect((await readdir(cwd)).filter((name) => name.startsWith('out'))).toEqual([]);
  });

  it.skipIf(!have('strace')).each<[NodeJS.Signals, string, string[]]>([
    ['SIGINT', 'a new image', image],
    ['SIGTERM', 'an archive', archive],
    ['SIGHUP', 'an archive', archive],
  ])(`removes its file when %s ends it: %s${oracleNote('strace')}`, async (signal, _title, words) => {
    expect([interrupt(signal, words), await temporaryFiles()]).toEqual([signal, []]);
  });
});

/** Gives the program a signal when the data is complete, and returns the one that ended it. */
function interrupt(signal: NodeJS.Signals, words: readonly string[]): NodeJS.Signals | null {
  const inject = ['-e', 'trace=fsync', '-e', `inject=fsync:signal=${signal}`];
  const args = ['-f', '-qq', '-o', '/dev/null', ...inject, ...programCommand, ...words];
  return spawnSync('strace', args, { cwd }).signal;
}
