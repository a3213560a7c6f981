/** Edits of an image on a block device, which has no room behind its end: a loop device where one can be had. */

import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { writeRollback } from '../../src/image/rollback.ts';
import { openWritableImage } from '../../src/imagefile/writableImage.ts';
import { liveIso } from '../support/liveIso.ts';
import { runCli, type RunResult } from '../support/runCli.ts';
import { canTrace, killAt, killSeed, momentsOf, sampleOf, traceNote } from '../support/strace.ts';
import { programCommand } from '../support/runProgram.ts';

const original = liveIso('2023-07');
const medium = Buffer.alloc(8 * 1024 * 1024, 'what was there before');
medium.set(original);

const canLoop =
  process.platform === 'linux' && process.getuid?.() === 0 && spawnSync('losetup', ['-f']).status === 0;
const note = canLoop ? '' : ' (skipped: no loop devices here)';

let cwd: string;
let device: string;
beforeAll(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'device '));
  await writeFile(join(cwd, 'medium'), medium);
  await writeFile(join(cwd, 'a.ign'), '{"ignition":{"version":"3.4.0"}}');
  device = spawnSync('losetup', ['-f', '--show', 'medium'], { cwd, encoding: 'utf8' }).stdout.trim();
});
afterAll(async () => {
  spawnSync('losetup', ['-d', device]);
  await rm(cwd, { recursive: true });
});

const iso = (...words: string[]): Promise<RunResult> => runCli(['iso', ...words], { cwd });
const customize = ['customize', '--live-ignition', 'a.ign', '--live-karg-append', 'x=1', '-f'];
const beside = async (path: string): Promise<string[]> =>
  (await readdir('/dev')).filter((name) => name.startsWith(`.${basename(path)}.`));

describe.skipIf(!canLoop)(`an image on a block device${note}`, () => {
  it('is called pristine whatever follows it, changed, and reset', async () => {
    expect((await runCli(['inspect', device], { cwd })).stdout).toContain('unmodified        yes');
    expect((await iso(...customize, device)).code).toBe(0);
    expect((await iso('kargs', 'show', device)).stdout).toContain('x=1');
    expect(readFileSync(device).subarray(original.length).equals(medium.subarray(original.length))).toBe(
      true,
    );
    expect((await iso('reset', device)).code).toBe(0);
    expect(readFileSync(device).equals(medium)).toBe(true);
    expect(await beside(device)).toEqual([]);
  });

  it.skipIf(!canTrace)(
    `is old, new, or seen to be unfinished where an edit is killed, seed ${killSeed}${traceNote}`,
    async () => {
      await iso(...customize, device);
      const goal = readFileSync(device);
      await iso('reset', device);
      let unfinished = 0;
      const command = [...programCommand, 'iso', ...customize, device];
      const moments = momentsOf(['pwrite64'], command, { cwd });
      await iso('reset', device);
      for (const moment of sampleOf(moments, 4)) {
        expect([moment, killAt(moment, command, { cwd })]).toEqual([moment, true]);
        const shown = await iso('kargs', 'show', device);
        if (shown.stderr.includes('is in progress, or was interrupted')) unfinished++;
        const isWhole = [medium, goal].some((whole) => readFileSync(device).equals(whole));
        expect(shown.code === 0 ? isWhole : shown.stderr.includes('was interrupted')).toBe(true);
        expect((await iso(...customize, device)).code).toBe(0);
        expect(readFileSync(device).equals(goal)).toBe(true);
        await iso('reset', '--force', device);
        expect(readFileSync(device).equals(medium)).toBe(true);
        expect(await beside(device)).toEqual([]);
      }
      expect(unfinished).toBeGreaterThan(1);
    },
  );

  it('loses a config that grew before it was copied to the device, and keeps its size', async () => {
    const noise = createHash('shake256', { outputLength: 340_000 }).update('secret').digest();
    await writeFile(join(cwd, 'large.ign'), noise);
    await writeFile(join(cwd, 'coreos.iso'), original);
    await iso('ignition', 'embed', '--no-validate', '--grow', '-i', 'large.ign', 'coreos.iso');
    const grown = Buffer.from(medium);
    grown.set(readFileSync(join(cwd, 'coreos.iso')));
    writeFileSync(device, grown);
    expect(readFileSync(device).includes(noise.subarray(100_000, 100_100))).toBe(true);
    for (const edit of [['ignition', 'embed', '-f', '-i', 'a.ign'], ['reset']]) {
      expect(await iso(...edit, device)).toMatchObject({ code: 0, stderr: '' });
      expect(readFileSync(device).includes(noise.subarray(100_000, 100_100))).toBe(false);
    }
    const { length } = readFileSync(join(cwd, 'coreos.iso'));
    const expected = Buffer.from(medium);
    expected.fill(0, original.length, length);
    expect(readFileSync(device).equals(expected)).toBe(true);
    writeFileSync(device, medium);
  });

  it('is the image before an edit that was interrupted before it was copied to a device of its size', async () => {
    const path = join(cwd, 'unfinished.iso');
    await writeFile(path, original);
    const image = await openWritableImage(path, { cwd });
    await writeRollback(image, [{ offset: 0, length: 100 }], original.length);
    await image.write(Buffer.alloc(100, 'new'), 0);
    await image.close();
    const copy = spawnSync('losetup', ['-f', '--show', path], { encoding: 'utf8' }).stdout.trim();
    try {
      expect((await iso('kargs', 'show', copy)).stderr).toContain('was interrupted');
      expect(await iso('reset', copy)).toMatchObject({
        code: 0,
        stderr: expect.stringContaining('rolled back an interrupted edit'),
      });
      const bytes = readFileSync(copy);
      expect(bytes.equals(Buffer.concat([original], bytes.length))).toBe(true);
    } finally {
      spawnSync('losetup', ['-d', copy]);
    }
  });

  it('is not made longer', async () => {
    await writeFile(join(cwd, 'file'), 'bytes');
    const { code, stderr } = await iso(
      'ignition',
      'embed',
      '-f',
      '-i',
      'a.ign',
      '--iso-file',
      'file:file',
      device,
    );
    expect([code, stderr]).toEqual([
      1,
      expect.stringContaining('is a block device, so the image on it cannot become longer'),
    ]);
    expect(readFileSync(device).equals(medium)).toBe(true);
    expect(await beside(device)).toEqual([]);
  });
});
