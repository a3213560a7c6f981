/** What processes that were killed have left, and the next one removes. */

import { spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { writeFileAtomically } from '../../../src/io/files/newFile.ts';
import { thisProcess } from '../../../src/io/process.ts';
import { makeTempFolder } from '../../../src/io/files/tempFile.ts';
import { liveIso } from '../../support/liveIso.ts';
import { have, oracleNote } from '../../support/programs.ts';
import { runCli } from '../../support/runCli.ts';
import { programCommand } from '../../support/runProgram.ts';

let cwd: string;
beforeEach(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'temp file '));
});
afterEach(() => rm(cwd, { recursive: true }));

const [ownId = '', ownStart = '', ownSystem = ''] = thisProcess().split('-');
/** Beyond the largest that Linux gives. */
const noId = String(2 ** 22 + 1);
const nameFor = (owner: string): string => `.secret.ign.${owner}.0123456789ab.tmp`;
const old = new Date(Date.now() - 48 * 60 * 60 * 1000);

describe('a temporary file', () => {
  it.each<[string, string, Date, boolean]>([
    ['of a process that has ended', nameFor(`${noId}-${ownStart}-${ownSystem}`), new Date(), true],
    [
      'of an earlier process with an ID that is in use',
      nameFor(`1-1-${ownSystem}`),
      new Date(),
      process.platform === 'linux',
    ],
    ['of this process', nameFor(thisProcess()), old, false],
    ['of another one that is running', nameFor(`${process.ppid}-0-${ownSystem}`), old, false],
    ['of a process that cannot be seen', nameFor(`${noId}-5-00000000`), new Date(), false],
    ['of one that cannot be seen, long ago', nameFor(`${noId}-5-00000000`), old, true],
    ['of another program', '.secret.ign.0123456789ab.tmp', old, false],
    ['that somebody gave such a name', `secret.ign.${ownId}-x-${ownSystem}.tmp`, old, false],
  ])('%s', async (_title, name, time, isRemoved) => {
    await writeFile(join(cwd, name), 'secret');
    await utimes(join(cwd, name), time, time);
    await writeFileAtomically(join(cwd, 'out'), 'new');
    expect((await readdir(cwd)).toSorted()).toEqual((isRemoved ? ['out'] : [name, 'out']).toSorted());
  });
});

it('a folder of a process that has ended goes when the next one is made', async () => {
  const left = join(tmpdir(), `ironic-coreos.${noId}-${ownStart}-${ownSystem}.abcdef`);
  await mkdir(left, { recursive: true });
  await writeFile(join(left, 'secret'), 'secret');
  const [first, second] = [await makeTempFolder(), await makeTempFolder()];
  try {
    const names = await readdir(tmpdir());
    expect([left, first, second].map((path) => names.includes(path.slice(tmpdir().length + 1)))).toEqual([
      false,
      true,
      true,
    ]);
  } finally {
    for (const path of [first, second]) await rm(path, { recursive: true });
  }
});

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
  ])(`leaves nothing behind the next one: %s${oracleNote('strace')}`, async (_title, words) => {
    interrupt('SIGKILL', words);
    expect(await temporaryFiles()).toHaveLength(1);
    expect((await runCli(['iso', 'kargs', 'modify', '-a', 'x=1', 'coreos.iso'], { cwd })).code).toBe(0);
    expect((await readdir(cwd)).toSorted()).toEqual(['coreos.iso', 'secret.ign']);
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
