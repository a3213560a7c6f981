/** The lock of a folder, which survives whoever held it. */

import { spawn } from 'node:child_process';
import { mkdir, mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { build } from 'rolldown';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { lockFolder } from '../../../src/io/files/folderLock.ts';
import { thisProcess } from '../../../src/io/process.ts';

/** Beyond the largest that Linux gives. */
const nobody = 2 ** 22 + 1;
let root: string;
let lock: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'folder lock '));
  lock = join(root, 'lock');
});
afterEach(() => rm(root, { recursive: true }));

const [, system = ''] = thisProcess().split('-');
const ended = `${nobody}-${system}-${hostname()}`;
async function leave(path: string, owner: string): Promise<void> {
  await mkdir(path);
  await writeFile(join(path, owner), '');
}

describe('lockFolder', () => {
  it('has its owner, keeps others out, and is gone afterwards', async () => {
    const taken = lockFolder(lock, 'boot');
    expect(taken.wasStale).toBe(false);
    expect(await readdir(root, { recursive: true })).toEqual(['lock', `lock/${thisProcess()}-${hostname()}`]);
    expect(() => lockFolder(lock, 'boot')).toThrow(`process ${process.pid} on ${hostname()}`);
    taken.release();
    expect(await readdir(root)).toEqual([]);
  });

  it.each([
    ['that has ended', ended],
    ['whose ID this one has got', `${thisProcess()}-${hostname()}`],
    ['elsewhere that shows no life', `1-00000000-elsewhere`],
  ])('is taken over from a process %s', async (_title, owner) => {
    await leave(lock, owner);
    const elapsed = new Date(Date.now() - 60_000);
    await utimes(join(lock, owner), elapsed, elapsed);
    const taken = lockFolder(lock, 'boot');
    expect(taken.wasStale).toBe(true);
    expect(await readdir(root, { recursive: true })).toEqual(['lock', `lock/${thisProcess()}-${hostname()}`]);
    taken.release();
    expect(lockFolder(lock, 'boot').wasStale).toBe(false);
  });

  it('is taken where a process was killed while it released it', async () => {
    await mkdir(lock);
    expect(lockFolder(lock, 'boot').wasStale).toBe(false);
  });

  it.each([
    ['that runs', `1-${system}-here`, '1 on here'],
    ['elsewhere', `${nobody}-00000000-elsewhere.example.com`, `${nobody} on elsewhere.example.com`],
  ])('is not taken from a process %s', async (_title, owner, shown) => {
    await leave(lock, owner);
    expect(() => lockFolder(lock, 'boot')).toThrow(`Another process is preparing boot: process ${shown}`);
    expect(await readdir(root, { recursive: true })).toEqual(['lock', `lock/${owner}`]);
  });

  it('goes to one of several processes that find it free or stale at the same time', async () => {
    const input = resolve(import.meta.dirname, '../../../src/io/files/folderLock.ts');
    await build({
      input,
      platform: 'node',
      output: { file: join(root, 'lock.mjs'), codeSplitting: false },
      logLevel: 'silent',
    });
    await writeFile(join(root, 'take.mjs'), taking);
    const children = Array.from({ length: 4 }, () => {
      const child = spawn(process.execPath, [join(root, 'take.mjs')], { stdio: ['pipe', 'pipe', 'inherit'] });
      return { child, lines: createInterface(child.stdout)[Symbol.asyncIterator]() };
    });
    try {
      await Promise.all(children.map(({ lines }) => lines.next()));
      for (let round = 0; round < 40; round++) {
        const path = join(root, `lock ${round}`);
        if (round % 2 === 0) await leave(path, ended);
        const start = Date.now() + 20;
        for (const { child } of children) child.stdin.write(`${JSON.stringify({ path, start })}\n`);
        const answers = await Promise.all(
          children.map(async ({ lines }) => String((await lines.next()).value)),
        );
        expect([round, ...answers.toSorted()]).toEqual([round, 'busy', 'busy', 'busy', 'taken']);
      }
    } finally {
      for (const { child } of children) child.kill();
    }
    const left = (await readdir(root)).filter((name) => !/^lock \d+$/.test(name));
    expect(left.toSorted()).toEqual(['lock.mjs', 'take.mjs']);
  });
});

/** Takes each lock that it reads the path of, all at the same millisecond, and holds it. */
const taking = `import { createInterface } from 'node:readline';
import { lockFolder } from './lock.mjs';
console.log('ready');
for await (const line of createInterface(process.stdin)) {
  const { path, start } = JSON.parse(line);
  while (Date.now() < start);
  try {
    lockFolder(path, 'boot');
    console.log('taken');
  } catch ({ code }) {
    console.log(code === 'ERR_BUSY' ? 'busy' : code);
  }
}
`;
