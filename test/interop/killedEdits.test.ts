/**
 * Edits of images in place that are killed at each of their system calls in turn, by strace: the image is then the old one,
 * the new one, or reported as unfinished by every command; the next edit makes of it what it makes of the old or the new
 * image, and `reset --force` the original. A sample of the calls of three edits of the sample image always runs, all of them and
 * of real images, which takes a quarter of an hour, with IRONIC_COREOS_KILL=all.
 */

import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFile, mkdtemp, readdir, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hybridIso, liveIso } from '../support/liveIso.ts';
import { runCli, type RunResult } from '../support/runCli.ts';
import { sharedData } from '../support/sharedData.ts';
import { canTrace, killAt, killSeed, momentsOf, sampleOf, traceNote } from '../support/strace.ts';
import { programCommand } from '../support/runProgram.ts';

const SECRET = createHash('shake256', { outputLength: 40 }).update('secret').digest('hex');
const noise = createHash('shake256', { outputLength: 340_000 }).update('noise').digest('base64');

/** Words of the command, behind `iso`, before the image. */
type Words = readonly string[];

interface KilledEdit {
  /** What the image is edited by before. */
  readonly before: readonly Words[];
  readonly edit: Words;
}

const embed: Words = ['ignition', 'embed', '--no-validate', '-f', '-i', 'small.ign'];
const grow: Words = ['ignition', 'embed', '--no-validate', '--grow', '-f', '-i', 'large.ign'];
const customize: Words = [
  'customize',
  '--no-validate',
  '-f',
  '--live-ignition',
  'small.ign',
  '--live-karg-append',
  'x=1',
];
const network: Words = ['network', 'embed', '-f', '-k', 'eth0.nmconnection'];

const edits: Readonly<Record<string, KilledEdit>> = {
  'ignition embed': { before: [], edit: embed },
  'ignition embed --grow': { before: [], edit: grow },
  'ignition embed --grow again': {
    before: [grow],
    edit: ['ignition', 'embed', '--no-validate', '--grow', '-f', '-i', 'larger.ign'],
  },
  'ignition embed --iso-file': { before: [], edit: [...embed, '--iso-file', 'agent.tar:agent.tar'] },
  'ignition remove': { before: [grow], edit: ['ignition', 'remove'] },
  'network embed': { before: [embed], edit: network },
  'network remove': { before: [network], edit: ['network', 'remove'] },
  'kargs modify': { before: [], edit: ['kargs', 'modify', '-a', 'x=1'] },
  'kargs reset': { before: [customize], edit: ['kargs', 'reset'] },
  customize: { before: [], edit: customize },
  reset: { before: [customize, grow], edit: ['reset'] },
  'reset --force': { before: [customize, grow], edit: ['reset', '--force'] },
};

/** System calls that change an image, a file beside it, or wait for the disk. */
const CALLS = ['pwrite64', 'fdatasync', 'ftruncate', 'link', 'unlink'];

let cwd: string;
beforeAll(async () => {
  cwd = await realpath(await mkdtemp(join(tmpdir(), 'killed edits ')));
  const config = (text: string): string => {
    const source = `data:;base64,${Buffer.from(SECRET + text).toString('base64')}`;
    const storage = { files: [{ path: '/etc/secret', contents: { source } }] };
    return JSON.stringify({ ignition: { version: '3.4.0' }, storage });
  };
  await writeFile(join(cwd, 'small.ign'), config('small'));
  await writeFile(join(cwd, 'large.ign'), config(noise));
  await writeFile(join(cwd, 'larger.ign'), config(noise + noise.slice(0, 70_000)));
  await writeFile(join(cwd, 'agent.tar'), SECRET.repeat(4000));
  await writeFile(join(cwd, 'eth0.nmconnection'), `[connection]\nid=${SECRET}\ntype=ethernet\n`);
});
afterAll(async () => {
  await rm(cwd, { recursive: true, force: true });
});

const iso = async (...words: Words): Promise<RunResult> => runCli(['iso', ...words], { cwd });
const digest = async (name: string): Promise<string> =>
  createHash('sha256')
    .update(await readFile(join(cwd, name)))
    .digest('hex');
const copy = async (from: string, to: string): Promise<void> => copyFile(join(cwd, from), join(cwd, to));
const done = async (words: Words, image: string): Promise<void> => {
  const { code, stderr } = await iso(...words, image);
  expect([
    words,
    code,
    stderr
      .replace(/^.*rolled back an interrupted edit\n/, '')
      .replace(/warning: the image now contains.*\nhint:.*\n/, ''),
  ]).toEqual([words, 0, '']);
};

interface Digests {
  readonly original: string;
  readonly before: string;
  readonly after: string;
}

/** The digest of the image as every command sees it; undefined where it is unfinished. */
async function seenDigest(image: string): Promise<string | undefined> {
  const shown = await iso('kargs', 'show', image);
  const [inspected, validated] = [
    await runCli(['inspect', '--format', 'json', image], { cwd }),
    await runCli(['validate', '--format', 'json', image], { cwd }),
  ];
  if (shown.code === 0) return digest(image);
  expect(shown.stderr).toContain('an edit of the image is in progress, or was interrupted');
  expect((await iso('ignition', 'show', image)).code).toBe(1);
  expect([inspected.code, JSON.parse(inspected.stdout).pristine]).toEqual([1, false]);
  expect([validated.code, validated.stdout.includes('image-unfinished-edit')]).toEqual([1, true]);
  return undefined;
}

async function checkKilled(
  words: Words,
  { original, before, after }: Digests,
): Promise<'whole' | 'unfinished'> {
  const seen = await seenDigest('killed.iso');
  expect([before, after, undefined]).toContain(seen);
  const wasUnfinished = seen === undefined;
  await copy('killed.iso', 'reset.iso');
  await done(['reset', '--force'], 'reset.iso');
  expect(await digest('reset.iso')).toBe(original);
  // That the edit has been made already may be an error of the next one, such as of a file that is on the medium.
  if (seen !== after) {
    await done(words, 'killed.iso');
    expect(await digest('killed.iso')).toBe(after);
  }
  return wasUnfinished ? 'unfinished' : 'whole';
}

async function killEverywhere({ before, edit }: KilledEdit): Promise<Record<string, number>> {
  await copy('original.iso', 'before.iso');
  for (const words of before) await done(words, 'before.iso');
  await copy('before.iso', 'after.iso');
  await done(edit, 'after.iso');
  const digests = {
    original: await digest('original.iso'),
    before: await digest('before.iso'),
    after: await digest('after.iso'),
  };
  const seen = { whole: 0, unfinished: 0 };
  const command = [...programCommand, 'iso', ...edit, 'killed.iso'];
  await copy('before.iso', 'killed.iso');
  const moments = momentsOf(CALLS, command, { cwd }).filter(({ threads }) => threads === 'all');
  for (const moment of all ? moments : sampleOf(moments, 4)) {
    await copy('before.iso', 'killed.iso');
    if (killAt(moment, command, { cwd })) seen[await checkKilled(edit, digests)]++;
  }
  await copy('before.iso', 'killed.iso');
  const [node = '', ...args] = command;
  expect(spawnSync(node, args, { cwd }).status).toBe(0);
  const left = await readdir(cwd);
  expect(left.filter((name) => name.startsWith('.')).join()).toBe('');
  return seen;
}

const all = process.env['IRONIC_COREOS_KILL'] === 'all';
const usual = new Set(['customize', 'ignition embed --grow', 'reset']);
const images: [string, () => Promise<Uint8Array>][] = [
  ['the sample image', async () => liveIso('2023-07')],
  ...(all
    ? [['the hybrid sample image', async () => hybridIso()] as [string, () => Promise<Uint8Array>]]
    : []),
];
const folder = join(sharedData ?? '', 'iso');
if (all && sharedData !== undefined) {
  for (const name of (await readdir(folder)).filter((file) => file.endsWith('.iso.xz'))) {
    const unpack = async (): Promise<Uint8Array> =>
      spawnSync('xz', ['-dkc', join(folder, name)], { maxBuffer: 2 ** 28 }).stdout;
    images.push([name, unpack]);
  }
}

/** What an image cannot do: its area is inside another file, it has no folder for files, or no network in its initramfs. */
const impossible: readonly (readonly [image: string, word: string])[] = [
  ['s390x', '--grow'],
  ['2021-01', '--iso-file'],
  ['2021-01', 'network'],
];

function editsOf(image: string): [string, KilledEdit][] {
  const refused = new Set(impossible.flatMap(([part, word]) => (image.includes(part) ? [word] : [])));
  return Object.entries(edits)
    .filter(([name]) => all || usual.has(name))
    .filter(([, { before, edit }]) => ![...before, edit].flat().some((text) => refused.has(text)));
}

describe.skipIf(!canTrace).each(images)(
  `edits of %s that are killed${all ? '' : `, seed ${killSeed}`}${traceNote}`,
  (image, make) => {
    beforeAll(async () => writeFile(join(cwd, 'original.iso'), await make()));

    it.each(editsOf(image))('%s', { timeout: 600_000 }, async (_name, killed) => {
      const seen = await killEverywhere(killed);
      expect(seen['unfinished']).toBeGreaterThan(0);
    });
  },
);
