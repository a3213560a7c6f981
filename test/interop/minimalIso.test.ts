/** Minimal ISOs, extracted by both programs; from real releases (reduced), and packed by coreos-installer. */

import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync } from 'node:fs';
import { mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { isoPair } from '../support/minimalIso.ts';
import { have, oracleNote } from '../support/programs.ts';
import { runCli } from '../support/runCli.ts';
import { sharedData, sharedDataNote } from '../support/sharedData.ts';

const peer = 'coreos-installer';
const isoFolder = join(sharedData ?? '', 'iso');
const canUnpack = sharedData !== undefined && have('xz');
const realNames = canUnpack ? readdirSync(isoFolder).filter((name) => name.endsWith('.xz')) : [];
const makeIso = join(sharedData ?? '', '../tools/make-iso.sh');
const canMake = sharedData !== undefined && have('xorriso') && have('python3') && existsSync(makeIso);

let cwd: string;
beforeEach(async () => {
  cwd = await realpath(await mkdtemp(join(tmpdir(), 'minimal interop ')));
});
afterEach(async () => rm(cwd, { recursive: true, force: true }));

const ours = async (...args: string[]): Promise<void> => {
  const { code, stdout, stderr } = await runCli(args, { cwd });
  expect([code, stdout, stderr]).toEqual([0, '', '']);
};
const theirs = (...args: string[]): void => void execFileSync(peer, args, { cwd, stdio: 'pipe' });
const digest = async (name: string): Promise<string> =>
  createHash('sha256')
    .update(await readFile(join(cwd, name)))
    .digest('hex');
const extract = ['iso', 'extract', 'minimal-iso', 'full.iso'];

/** What each program makes of `full.iso`: the digest of the minimal ISO, or the words of its refusal. */
async function extractByBoth(...options: string[]): Promise<{ ours: unknown; theirs: unknown }> {
  await Promise.all(['our.iso', 'peer.iso'].map((name) => rm(join(cwd, name), { force: true })));
  const peerRun = spawnSync(peer, [...extract, 'peer.iso', ...options], { cwd, encoding: 'utf8' });
  const ourRun = await runCli([...extract, 'our.iso', ...options], { cwd });
  return {
    ours: ourRun.code === 0 ? await digest('our.iso') : /^error: (.*)$/m.exec(ourRun.stderr)?.[1],
    theirs: peerRun.status === 0 ? await digest('peer.iso') : /^Error: (.*)$/m.exec(peerRun.stderr)?.[1],
  };
}

describe.skipIf(!canUnpack || !have(peer))(
  `images of releases${sharedDataNote}${oracleNote('xz')}${oracleNote(peer)}`,
  () => {
    it.each(realNames)('%s: both programs extract the same', async (name) => {
      const bytes = execFileSync('xz', ['-dc', join(isoFolder, name)], { maxBuffer: 2 ** 28 });
      await writeFile(join(cwd, 'full.iso'), bytes);
      const plain = await extractByBoth();
      expect(plain.ours).toBe(plain.theirs);
      const withUrl = await extractByBoth('--rootfs-url', 'https://192.0.2.1/rootfs.img?a=b');
      expect(withUrl.ours).toBe(withUrl.theirs);
    });
  },
);

describe.skipIf(!have(peer))(`packed by coreos-installer${oracleNote(peer)}`, () => {
  beforeEach(async () => {
    const { full, minimal } = isoPair();
    await writeFile(join(cwd, 'full.iso'), full);
    await writeFile(join(cwd, 'built.iso'), minimal);
    theirs('pack', 'minimal-iso', 'full.iso', 'built.iso');
  });

  it('both extract the same', async () => {
    const plain = await extractByBoth();
    expect(plain.ours).toMatch(/^[0-9a-f]{64}$/);
    expect(plain.ours).toBe(plain.theirs);
    const withUrl = await extractByBoth('--rootfs-url', 'https://192.0.2.1/rootfs.img');
    expect(withUrl.ours).toBe(withUrl.theirs);
  });

  it('the rootfs is the same', async () => {
    theirs(...extract, 'peer.iso', '--output-rootfs', 'peer.rootfs');
    await ours(...extract, 'our.iso', '--output-rootfs', 'our.rootfs');
    expect(await digest('our.rootfs')).toBe(await digest('peer.rootfs'));
    expect(await digest('our.iso')).toBe(await digest('peer.iso'));
  });
});

describe.skipIf(!canMake || !have(peer))(
  `builds with another program's data and tree${sharedDataNote}${oracleNote('xorriso')}${oracleNote(peer)}`,
  () => {
    it.each(['2023-07', '2022-02', 's390x'])('%s: both programs extract the same', async (layout) => {
      const options = ['--layout', layout, '--rootfs-mib', '4', 'full.iso'];
      execFileSync('bash', [makeIso, ...options], { cwd, stdio: 'pipe' });
      const result = await extractByBoth('--rootfs-url', 'https://192.0.2.1/rootfs.img');
      expect(result.ours).toMatch(/^[0-9a-f]{64}$/);
      expect(result.ours).toBe(result.theirs);
    });
  },
);
