/** Images on which an edit in place was interrupted, as every command meets them. */

import { mkdir, mkdtemp, readdir, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { writeRollback } from '../../../src/image/rollback.ts';
import { openImage } from '../../../src/imagefile/imageFile.ts';
import { openWritableImage } from '../../../src/imagefile/writableImage.ts';
import { thisProcess } from '../../../src/io/process.ts';
import { liveIso } from '../../support/liveIso.ts';
import { runCli, type RunResult } from '../../support/runCli.ts';

const original = Buffer.from(liveIso('2023-07'));
const SECRET = 'a secret that was being embedded';

let cwd: string;
beforeEach(async () => {
  cwd = await realpath(await mkdtemp(join(tmpdir(), 'interrupted ')));
  await writeFile(join(cwd, 'coreos.iso'), original);
  const image = await openWritableImage('coreos.iso', { cwd });
  const at = original.indexOf('mitigations=');
  await writeRollback(image, [{ offset: at, length: 11 }], original.length + 10_000);
  await image.write(Buffer.from('no console='), at); // one of the two menus
  await image.write(Buffer.from(SECRET), original.length);
  await image.close();
});
afterEach(() => rm(cwd, { recursive: true }));

const run = (...words: string[]): Promise<RunResult> => runCli(words, { cwd });
const image = (): Promise<Buffer> => readFile(join(cwd, 'coreos.iso'));
const unfinished = 'an edit of the image is in progress, or was interrupted';

it.each([
  ['iso', 'kargs', 'show', 'coreos.iso'],
  ['iso', 'ignition', 'show', 'coreos.iso'],
  ['iso', 'network', 'extract', '-C', '.', 'coreos.iso'],
  ['iso', 'extract', 'pxe', 'coreos.iso'],
  ['iso', 'extract', 'minimal-iso', 'coreos.iso', 'minimal.iso'],
  ['iso', 'reset', '-o', 'new.iso', 'coreos.iso'],
])('%s %s %s refuses it, and leaves it alone', async (...words) => {
  const before = await image();
  expect(await run(...words)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining(`coreos.iso: ${unfinished}\nhint: repeat the edit`),
  });
  expect([await readdir(cwd), before.equals(await image())]).toEqual([['coreos.iso'], true]);
});

it('inspect and validate report it', async () => {
  const inspected = await run('inspect', '--format', 'json', 'coreos.iso');
  expect([inspected.code, JSON.parse(inspected.stdout)]).toMatchObject([
    1,
    { pristine: false, differences: expect.arrayContaining(['unfinished edit']) },
  ]);
  expect(await run('validate', 'coreos.iso')).toMatchObject({
    code: 1,
    stdout: expect.stringContaining(unfinished),
  });
});

it.each([
  [['iso', 'reset', 'coreos.iso']],
  [['iso', 'reset', '--force', 'coreos.iso']],
  [['iso', 'kargs', 'reset', 'coreos.iso']],
])('%j undoes it', async (words) => {
  const { code, stderr } = await run(...words);
  expect([code, stderr]).toEqual([
    0,
    expect.stringContaining('coreos.iso: rolled back an interrupted edit\n'),
  ]);
  expect(await image()).toEqual(original);
  expect(await readdir(cwd)).toEqual(['coreos.iso']);
});

it('a lock that a killed process has left does not count', async () => {
  const ended = thisProcess().replace(/^\d+/, String(2 ** 22 + 1));
  await mkdir(join(cwd, '.coreos.iso.lock'));
  await writeFile(join(cwd, '.coreos.iso.lock', `${ended}-${hostname()}`), '');
  expect((await run('iso', 'kargs', 'modify', '-a', 'x=1', 'coreos.iso')).code).toBe(0);
  expect(await readdir(cwd)).toEqual(['coreos.iso']);
});

it('a lock that cannot be created is reported with the name of the image', async () => {
  const name = `${'x'.repeat(250)}.iso`; // the name of the lock is longer
  await writeFile(join(cwd, name), original);
  const { code, stderr } = await run('iso', 'kargs', 'modify', '-a', 'x=1', name);
  expect([code, stderr]).toEqual([1, expect.stringContaining('error: The path is too long: xxx')]);
});

it('an image that another program has changed since it was read is not written to', async () => {
  await run('iso', 'reset', 'coreos.iso');
  const open = await openImage('coreos.iso', { cwd });
  await open.checkUnchanged?.();
  await writeFile(join(cwd, 'coreos.iso'), 'theirs');
  await expect(open.checkUnchanged?.()).rejects.toThrow('coreos.iso was changed by another program');
  await open.close();
});
