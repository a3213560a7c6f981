/**
 * `iso kargs`, `iso reset` and `iso extract pxe` beside coreos-installer, on ISOs of real releases (reduced) and on all
 * synthetic layouts: equal images, equal output, equal exit codes.
 */

import { execFileSync, spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { layouts, liveIso } from '../support/liveIso.ts';
import { have, oracleNote } from '../support/programs.ts';
import { runCli } from '../support/runCli.ts';
import { sharedData, sharedDataNote } from '../support/sharedData.ts';

const isoFolder = join(sharedData ?? '', 'iso');
const canUnpack = sharedData !== undefined && have('xz');
const realNames = canUnpack ? readdirSync(isoFolder).filter((name) => name.endsWith('.xz')) : [];
const images: [string, () => Uint8Array][] = [
  ...layouts.map((layout): [string, () => Uint8Array] => [`layout ${layout}`, () => liveIso(layout)]),
  ...realNames.map((name): [string, () => Uint8Array] => [
    name,
    () => execFileSync('xz', ['-dc', join(isoFolder, name)], { maxBuffer: 2 ** 28 }),
  ]),
];

let cwd: string;
beforeEach(async () => {
  cwd = await realpath(await mkdtemp(join(tmpdir(), 'kargs interop ')));
});
afterEach(async () => rm(cwd, { recursive: true, force: true }));

interface Outcome {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

const ours = async (...args: string[]): Promise<Outcome> => runCli(['iso', ...args], { cwd });
const theirs = (...args: string[]): Outcome => {
  const result = spawnSync('coreos-installer', ['iso', ...args], {
    cwd,
    encoding: 'utf8',
    env: { ...process.env, RUST_BACKTRACE: '0' },
  });
  return { code: result.status, stdout: result.stdout, stderr: result.stderr };
};
/** The first line, which names the problem; the rest is a chain of causes there and a hint here. */
const problemOf = ({ code, stderr }: Outcome): string =>
  code === 0 ? '' : stderr.replace(/^error: /i, '').replace(/\n[^]*$/, '');
const equal = async (left: string, right: string): Promise<boolean> =>
  Buffer.compare(await readFile(join(cwd, left)), await readFile(join(cwd, right))) === 0;

it.skipIf(canUnpack)(`images of real releases${sharedDataNote}${oracleNote('xz')}`, () => {
  expect(realNames).toEqual([]);
});

describe.skipIf(!have('coreos-installer'))(`beside coreos-installer${oracleNote('coreos-installer')}`, () => {
  describe.each(images)('%s', (_name, make) => {
    it.each([
      [['modify', '-a', 'a=1', '-a', 'b c', '-d', 'ignition.firstboot']],
      [['modify', '-r', 'ignition.platform.id=metal=qemu', '-a', 'k=o', '-r', 'k=o=n']],
      [['modify', '-d', 'nothing', '-r', 'no=such=thing']],
      [['modify', '-a', 'ä=ö', '-a', ' \u00a0x\u0085', '-a', '\ufeff']],
      [['modify']],
      [['modify', '-r', 'a=b']],
      [['modify', '-a', 'x'.repeat(2048)]],
      [['reset']],
    ])('kargs %j makes the same image, which both show and reset', async (args) => {
      const bytes = make();
      for (const name of ['ours', 'theirs', 'original']) await writeFile(join(cwd, name), bytes);
      const [left, right] = [await ours('kargs', ...args, 'ours'), theirs('kargs', ...args, 'theirs')];
      expect([left.code, left.stdout, problemOf(left)]).toEqual([right.code, right.stdout, problemOf(right)]);
      expect(await equal('ours', 'theirs')).toBe(true);
      for (const flags of [[], ['--default']]) {
        const [shown, expected] = [
          await ours('kargs', 'show', ...flags, 'theirs'),
          theirs('kargs', 'show', ...flags, 'ours'),
        ];
        expect([shown.code, shown.stdout]).toEqual([expected.code, expected.stdout]);
      }
      expect([(await ours('reset', 'theirs')).code, theirs('reset', 'ours').code]).toEqual([0, 0]);
      expect(await equal('ours', 'original')).toBe(true);
      expect(await equal('theirs', 'original')).toBe(true);
    });

    it('extracts the same files, and prints the same paths', async () => {
      await writeFile(join(cwd, 'x.y.iso'), make());
      const left = await ours('extract', 'pxe', '-o', 'a/o/', 'x.y.iso');
      const right = theirs('extract', 'pxe', '-o', 'b/o/', 'x.y.iso');
      expect([left.code, left.stdout]).toEqual([right.code, right.stdout.replaceAll('b/o/', 'a/o/')]);
      for (const path of left.stdout.trimEnd().split('\n')) {
        expect(await equal(path, path.replace(/^a/, 'b'))).toBe(true);
      }
    });
  });

  it('any edits make the same image, or fail alike', async () => {
    await writeFile(join(cwd, 'image.iso'), liveIso('2023-07'));
    const character = fc.constantFrom('a', 'a', 'b', ' ', ' ', '=', '$&', '\n', '#', '\u0085', '\ufeff', 'é');
    const text = fc.string({ unit: character, maxLength: 5 });
    const name = fc.constantFrom('a', 'b', 'a a', 'ignition.firstboot');
    const argument = fc.oneof(name, text, fc.constantFrom('a=a', 'a=b', 'b=a', 'a=b b=a'));
    const replacement = fc.oneof(
      {
        weight: 9,
        arbitrary: fc.constantFrom('a=a=b', 'a=b=$&', 'b=a=b b', 'a=b=\n', 'b b=a=b', ' a=b=a'),
      },
      { weight: 1, arbitrary: text },
    );
    const edit = fc.oneof(
      argument.map((value) => `--append=${value}`),
      argument.map((value) => `--delete=${value}`),
      replacement.map((value) => `--replace=${value}`),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(edit, { minLength: 4, maxLength: 24 }), async (edits) => {
        const left = await ours('kargs', 'modify', ...edits, '-o', 'ours', 'image.iso');
        const right = theirs('kargs', 'modify', ...edits, '-o', 'theirs', 'image.iso');
        expect([left.code, problemOf(left)]).toEqual([right.code, problemOf(right)]);
        if (left.code !== 0) return;
        expect(await equal('ours', 'theirs')).toBe(true);
        // Where the end of the arguments looks like padding, both have to read less than was written.
        expect((await ours('kargs', 'show', 'theirs')).stdout).toBe(theirs('kargs', 'show', 'ours').stdout);
        for (const file of ['ours', 'theirs']) await rm(join(cwd, file));
      }),
      { numRuns: 40 },
    );
  });

  it.each([
    ['kargs that differ', Buffer.from('other')],
    ['kargs that are no text', Buffer.from([255])],
  ])('%s: the same refusal of show, modify and both resets', async (_title, damage) => {
    const bytes = Buffer.from(liveIso('2023-07'));
    damage.copy(bytes, bytes.indexOf('mitigations='));
    await writeFile(join(cwd, 'image.iso'), bytes);
    for (const args of [['kargs', 'show'], ['kargs', 'modify', '-a', 'x'], ['kargs', 'reset'], ['reset']]) {
      const [left, right] = [await ours(...args, 'image.iso'), theirs(...args, 'image.iso')];
      expect([left.code, left.stdout]).toEqual([1, '']);
      expect(right.code).toBe(1);
      expect(problemOf(left)).toContain(problemOf(right));
    }
    expect((await ours('reset', '--force', 'image.iso')).code).toBe(0);
    expect(theirs('kargs', 'show', 'image.iso').code).toBe(0);
  });
});
