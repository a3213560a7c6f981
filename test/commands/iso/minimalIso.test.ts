import { createHash } from 'node:crypto';
import { mkdtemp, readdir, readFile, realpath, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openLiveIso } from '../../../src/image/liveIso.ts';
import { bytesAccess } from '../../../src/image/overlay.ts';
import { liveIso } from '../../support/liveIso.ts';
import { isoPair, packedIso, rootfs } from '../../support/minimalIso.ts';
import { runCli, type RunResult } from '../../support/runCli.ts';

const pair = isoPair();
const digest = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

let cwd: string;
beforeEach(async () => {
  cwd = await realpath(await mkdtemp(join(tmpdir(), 'minimal iso ')));
  await writeFile(join(cwd, 'full.iso'), await packedIso(pair));
  await writeFile(join(cwd, 'built.iso'), pair.minimal);
});
afterEach(async () => rm(cwd, { recursive: true, force: true }));

const run = async (...args: string[]): Promise<RunResult> => runCli(args, { cwd });
const extract = async (...args: string[]): Promise<RunResult> =>
  run('iso', 'extract', 'minimal-iso', ...args);
const file = async (name: string): Promise<Buffer> => readFile(join(cwd, name));
const kargs = async (name: string): Promise<unknown> => {
  const areas = await (await openLiveIso(bytesAccess(await file(name)))).kargsAreas();
  return [areas?.current, areas?.defaults];
};
const done = { code: 0, stdout: '', stderr: '' };
const defaults = 'mitigations=auto,nosmt ignition.firstboot ignition.platform.id=metal';

describe('iso extract minimal-iso', () => {
  it('gives the same bytes to a file and to standard output', async () => {
    expect(await extract('full.iso', 'out.iso')).toMatchObject(done);
    const { code, stderr, stdoutBytes } = await extract('full.iso');
    expect([code, stderr]).toEqual([0, '']);
    expect(digest(stdoutBytes)).toBe(digest(await file('out.iso')));
    expect(digest((await extract('full.iso', '-')).stdoutBytes)).toBe(digest(stdoutBytes));
    expect(await kargs('out.iso')).toEqual([defaults, defaults]);
    expect((await stat(join(cwd, 'out.iso'))).mode & 0o777).toBe(0o666 & ~process.umask());
  });

  it('changes nothing of the built ISO but kernel arguments and their description', async () => {
    await extract('full.iso', 'out.iso', '--rootfs-url', 'http://192.0.2.1/rootfs.img');
    const [built, out] = [await file('built.iso'), await file('out.iso')];
    expect(out).toHaveLength(built.length);
    const iso = await openLiveIso(bytesAccess(built));
    const areas = await iso.kargsAreas();
    const info = await iso.tree.find('coreos/kargs.json');
    for (const image of [built, out]) {
      for (const { offset } of areas?.places ?? []) image.fill(0, offset, offset + (areas?.length ?? 0));
      image.fill(0, info?.offset, (info?.offset ?? 0) + (info?.size ?? 0));
    }
    expect(digest(out)).toBe(digest(built));
  });

  it('puts the URL of the root filesystem into the kernel arguments', async () => {
    await extract('full.iso', 'out.iso', '--rootfs-url', 'http://192.0.2.1/rootfs.img');
    expect(await kargs('out.iso')).toEqual([
      `${defaults} coreos.live.rootfs_url=http://192.0.2.1/rootfs.img`,
      defaults,
    ]);
  });

  it('writes the root filesystem as well', async () => {
    expect(await extract('--output-rootfs', 'rootfs', 'full.iso', 'out.iso')).toMatchObject(done);
    expect(digest(await file('rootfs'))).toBe(digest(rootfs));
    const { stdoutBytes } = await extract('full.iso', '--output-rootfs=other');
    expect(digest(stdoutBytes)).toBe(digest(await file('out.iso')));
    expect(digest(await file('other'))).toBe(digest(rootfs));
  });

  it.each<[string, string[], string]>([
    ['the output exists', ['full.iso', 'built.iso'], 'File exists: built.iso'],
    ['the output is the input', ['full.iso', 'full.iso'], 'File exists: full.iso'],
    ['the rootfs exists', ['full.iso', 'new', '--output-rootfs', 'built.iso'], 'File exists: built.iso'],
    ['both outputs are one', ['full.iso', 'new', '--output-rootfs', './new'], 'File exists: new'],
    ['there is no such folder', ['full.iso', 'none/out.iso'], 'The folder for none/out.iso does not exist'],
    ['there is no such image', ['none.iso', 'new'], 'ISO image not found: none.iso'],
    [
      'the URL has a blank',
      ['full.iso', 'new', '--rootfs-url', 'a b'],
      'forbidden whitespace found in the rootfs URL',
    ],
    [
      'the URL begins with a blank',
      ['full.iso', 'new', '--rootfs-url', ' a'],
      'forbidden whitespace found in the rootfs URL',
    ],
    [
      'the URL is empty',
      ['full.iso', 'new', '--rootfs-url', ''],
      'The rootfs URL has no scheme or no valid host',
    ],
    [
      'the URL has no scheme',
      ['full.iso', 'new', '--rootfs-url', '192.0.2.1/rootfs.img'],
      'The rootfs URL has no scheme or no valid host',
    ],
    ['the image is minimal', ['built.iso', 'new'], 'does not support extracting a minimal ISO'],
    ['an older image has none', ['old.iso', 'new'], 'does not support extracting a minimal ISO'],
    ['the oldest image has no kargs', ['oldest.iso', 'new'], 'No karg embed areas found'],
  ])('writes nothing when %s', async (_title, args, message) => {
    await writeFile(join(cwd, 'old.iso'), liveIso('2021-01'));
    await writeFile(join(cwd, 'oldest.iso'), liveIso('2020-09'));
    const before = await readdir(cwd);
    const { code, stderr, stdout } = await extract(...args);
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toContain(message);
    expect(await readdir(cwd)).toEqual(before);
  });

  it.each([
    ['to files', ['full.iso', 'out.iso', '--output-rootfs', 'rootfs']],
    ['to standard output', ['full.iso', '--output-rootfs', 'rootfs']],
  ])('%s: leaves nothing of an image that is damaged', async (_title, args) => {
    const bytes = await file('full.iso');
    const entry = await (await openLiveIso(bytesAccess(bytes))).tree.find('images/pxeboot/vmlinuz');
    bytes[entry?.offset ?? 0]! ^= 1;
    await writeFile(join(cwd, 'full.iso'), bytes);
    const { code, stdout, stderr } = await extract(...args);
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(/full\.iso: wrong final digest: expected [0-9a-f]{64}, found [0-9a-f]{64}\n/);
    expect((await readdir(cwd)).toSorted()).toEqual(['built.iso', 'full.iso']);
  });

  it('refuses an image that is customized', async () => {
    await writeFile(join(cwd, 'config.ign'), '{"ignition":{"version":"3.4.0"}}');
    await run('iso', 'ignition', 'embed', '-i', 'config.ign', 'full.iso');
    const { code, stderr } = await extract('full.iso', 'out.iso');
    expect([code, stderr]).toEqual([
      1,
      expect.stringContaining('Cannot operate on ISO with embedded customizations.'),
    ]);
    await run('iso', 'ignition', 'remove', 'full.iso');
    expect(await extract('full.iso', 'out.iso')).toMatchObject(done);
  });

  it('says so first also of an image that has no place for kernel arguments', async () => {
    await writeFile(join(cwd, 'old.iso'), liveIso('2020-09'));
    await writeFile(join(cwd, 'config.ign'), '{"ignition":{"version":"3.0.0"}}');
    expect((await extract('old.iso', 'out.iso')).stderr).toContain('No karg embed areas found');
    await run('iso', 'ignition', 'embed', '-i', 'config.ign', 'old.iso');
    expect((await extract('old.iso', 'out.iso')).stderr).toContain('Cannot operate on ISO with embedded');
  });

  it('refuses an image with other kernel arguments', async () => {
    const bytes = await file('full.iso');
    const areas = await (await openLiveIso(bytesAccess(bytes))).kargsAreas();
    for (const { offset } of areas?.places ?? []) bytes.write('x', offset);
    await writeFile(join(cwd, 'full.iso'), bytes);
    const { code, stderr } = await extract('full.iso', 'out.iso');
    expect([code, stderr]).toEqual([
      1,
      expect.stringContaining('Cannot operate on ISO with embedded customizations.'),
    ]);
  });

  it('takes each option once', async () => {
    const { code } = await extract('full.iso', 'out.iso', '--rootfs-url', 'a', '--rootfs-url', 'b');
    expect(code).toBe(2);
  });
});
