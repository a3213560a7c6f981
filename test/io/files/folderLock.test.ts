/** The lock of a folder, which survives whoever held it. */

import { spawn } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
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

describe('lockFolder', () => {
  it('is a whole file from the start, and gone afterwards', async () => {
    const taken = await lockFolder(lock, 'boot');
    expect(taken.wasStale).toBe(false);
    expect(await readFile(lock, 'utf8')).toBe(`${process.pid} ${hostname()} ${thisProcess()}`);
    expect(await readdir(root)).toEqual(['lock']);
    await taken.release();
    expect(await readdir(root)).toEqual([]);
  });

  it('is taken over from a process that has ended', async () => {
    await writeFile(lock, `${nobody} ${hostname()}`);
    expect((await lockFolder(lock, 'boot')).wasStale).toBe(true);
    expect(await readdir(root)).toEqual(['lock']);
  });

  it.each([
    ['a process that runs', `1 ${hostname()}`],
    ['a process elsewhere', `${nobody} elsewhere.example.com`],
  ])('is not taken from %s', async (_title, text) => {
    await writeFile(lock, text);
    await expect(lockFolder(lock, 'boot')).rejects.toThrow('Another process is preparing boot: ');
    expect([await readFile(lock, 'utf8'), await readdir(root)]).toEqual([text, ['lock']]);
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
        if (round % 2 === 0) await writeFile(path, `${nobody} ${hostname()}`);
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
  console.log(await lockFolder(path, 'boot').then(() => 'taken', ({ code }) => (code === 'ERR_BUSY' ? 'busy' : code)));
}
`;
