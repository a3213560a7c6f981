/**
 * Live ISOs of real releases (reduced) and of all synthetic layouts, with coreos-installer and the tools that scripts in
 * the field use as judges: what one embeds, the others read, and the other way round.
 */

import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openLiveIso } from '../../src/image/liveIso.ts';
import { bytesAccess } from '../../src/image/overlay.ts';
import { layouts, liveIso } from '../support/liveIso.ts';
import { have, oracleNote } from '../support/programs.ts';
import { runCli } from '../support/runCli.ts';
import { sharedData, sharedDataNote } from '../support/sharedData.ts';

const config = '{"ignition":{"version":"3.0.0"},"storage":{"files":[{"path":"/etc/x","mode":420}]}}\n';
const keyfile = '[connection]\nid=eth0\ntype=ethernet\n';

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
  cwd = await realpath(await mkdtemp(join(tmpdir(), 'iso interop ')));
  await writeFile(join(cwd, 'config.ign'), config);
  await writeFile(join(cwd, 'eth0.nmconnection'), keyfile);
});
afterEach(async () => rm(cwd, { recursive: true, force: true }));

const ours = async (...args: string[]): Promise<string> => {
  const { code, stdout, stderr } = await runCli(['iso', 'ignition', ...args], { cwd });
  expect([code, stderr]).toEqual([0, '']);
  return stdout;
};
const theirs = (...args: string[]): string =>
  execFileSync('coreos-installer', ['iso', ...args], {
    cwd,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  });
const digest = async (): Promise<string> =>
  createHash('sha256')
    .update(await readFile(join(cwd, 'image.iso')))
    .digest('hex');

it.skipIf(canUnpack)(`images of real releases${sharedDataNote}${oracleNote('xz')}`, () => {
  expect(realNames).toEqual([]);
});

describe.each(images)('%s', (_name, make) => {
  beforeEach(async () => writeFile(join(cwd, 'image.iso'), make()));

  it('has its original bytes again after embedding and removing', async () => {
    const before = await digest();
    await ours('embed', '-i', 'config.ign', 'image.iso');
    expect(await ours('show', 'image.iso')).toBe(config);
    await ours('remove', 'image.iso');
    expect(await digest()).toBe(before);
  });

  it.skipIf(!have('coreos-installer'))(
    `coreos-installer reads what we embed, and we what it embeds${oracleNote('coreos-installer')}`,
    async () => {
      const before = await digest();
      await ours('embed', '-i', 'config.ign', 'image.iso');
      expect(theirs('ignition', 'show', 'image.iso')).toBe(config);
      theirs('ignition', 'remove', 'image.iso');
      expect(await digest()).toBe(before);
      theirs('ignition', 'embed', '-i', 'config.ign', 'image.iso');
      expect(await ours('show', 'image.iso')).toBe(config);
      await ours('remove', 'image.iso');
      expect(await digest()).toBe(before);
    },
  );

  it.skipIf(!have('coreos-installer'))(
    `network settings of coreos-installer stay${oracleNote('coreos-installer')}`,
    async () => {
      const before = await digest();
      const network = ['network', 'embed', '-k', 'eth0.nmconnection', 'image.iso'];
      const { status } = spawnSync('coreos-installer', ['iso', ...network], { cwd });
      if (status !== 0) return; // the layout has no such feature
      await ours('embed', '-i', 'config.ign', 'image.iso');
      expect(theirs('network', 'extract', 'image.iso')).toContain(keyfile);
      await ours('remove', 'image.iso');
      expect(theirs('network', 'extract', 'image.iso')).toContain(keyfile);
      theirs('network', 'remove', 'image.iso');
      expect(await digest()).toBe(before);
    },
  );

  it.skipIf(!have('bsdtar'))(
    `dd, zcat and bsdtar take the config out of the area${oracleNote('bsdtar')}`,
    async () => {
      await ours('embed', '-i', 'config.ign', 'image.iso');
      const bytes = await readFile(join(cwd, 'image.iso'));
      const { offset, length } = (await openLiveIso(bytesAccess(bytes))).embedArea;
      const script = `dd if=image.iso bs=1 skip=${offset} count=${length} status=none | zcat | bsdtar -xOf - config.ign`;
      expect(execFileSync('sh', ['-c', script], { cwd, encoding: 'utf8' })).toBe(config);
    },
  );

  it.skipIf(!have('xorriso'))(`xorriso still reads the image${oracleNote('xorriso')}`, async () => {
    await ours('embed', '-i', 'config.ign', 'image.iso');
    const { status, stdout } = spawnSync('xorriso', ['-indev', 'image.iso', '-find', '/', '-type', 'f'], {
      cwd,
      encoding: 'utf8',
    });
    expect(status).toBe(0);
    expect(stdout).toContain("'/images/pxeboot/vmlinuz'");
  });
});

describe.skipIf(!have('xorriso'))(`repacked by xorriso${oracleNote('xorriso')}`, () => {
  it.each([
    ['with names of level 1', ['-iso-level', '1', '-rational-rock']],
    ['with long names', ['-iso-level', '3', '-rational-rock']],
    ['with long names and without Rock Ridge', ['-iso-level', '4', '-allow-lowercase', '--norock']],
  ])('%s: the area is found', async (_title, flags) => {
    await writeFile(join(cwd, 'image.iso'), liveIso('2023-07'));
    const xorriso = (...args: string[]): unknown => execFileSync('xorriso', args, { cwd, stdio: 'pipe' });
    xorriso('-osirrox', 'on', '-indev', 'image.iso', '-extract', '/', 'tree');
    xorriso('-as', 'mkisofs', ...flags, '-V', 'REPACKED', '-o', 'repacked.iso', 'tree');
    await ours('embed', '-i', 'config.ign', 'repacked.iso');
    expect(await ours('show', 'repacked.iso')).toBe(config);
    execFileSync('chmod', ['-R', 'u+w', 'tree'], { cwd });
  });
});
