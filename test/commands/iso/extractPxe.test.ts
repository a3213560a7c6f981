import { mkdir, mkdtemp, readdir, readFile, realpath, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { sampleFiles } from '../../support/sampleIso.ts';
import { layouts, liveIso, liveIsoWith } from '../../support/liveIso.ts';
import { runCli, type RunResult } from '../../support/runCli.ts';

const names = ['initrd.img', 'rootfs.img', 'vmlinuz'];
const files = sampleFiles('fedora-coreos-99.20990101.dev.0');
const contentOf = (name: string): Buffer => Buffer.from(files.get(`images/pxeboot/${name}`) ?? []);

let cwd: string;
beforeEach(async () => {
  cwd = await realpath(await mkdtemp(join(tmpdir(), 'iso extract ')));
  await writeFile(join(cwd, 'coreos.iso'), liveIso('2023-07'));
});
afterEach(async () => rm(cwd, { recursive: true, force: true }));

const pxe = async (...args: string[]): Promise<RunResult> =>
  runCli(['iso', 'extract', 'pxe', ...args], { cwd });
const read = async (name: string): Promise<Buffer> => readFile(join(cwd, name));

it.each(layouts)('writes the files of layout %s, and prints their paths', async (layout) => {
  await writeFile(join(cwd, 'coreos.iso'), liveIso(layout));
  expect(await pxe('coreos.iso')).toMatchObject({
    code: 0,
    stdout: './coreos-initrd.img\n./coreos-rootfs.img\n./coreos-vmlinuz\n',
    stderr: '',
  });
  for (const name of names) expect(await read(`coreos-${name}`)).toEqual(contentOf(name));
  expect((await stat(join(cwd, 'coreos-vmlinuz'))).mode & 0o777).toBe(0o666 & ~process.umask());
});

it.each([
  ['new/folder', 'new/folder/coreos-'],
  ['new/', 'new/coreos-'],
  ['.', './coreos-'],
  ['', 'coreos-'],
])('makes the folder %j', async (folder, prefix) => {
  const { code, stdout } = await pxe('-o', folder, 'coreos.iso');
  expect(code).toBe(0);
  expect(stdout).toBe(names.map((name) => `${prefix}${name}\n`).join(''));
  expect(await read(join(folder, 'coreos-vmlinuz'))).toEqual(contentOf('vmlinuz'));
});

it.each([
  ['a.b.iso', 'a.b'],
  ['image', 'image'],
  ['.hidden', '.hidden'],
  ['dir.iso/x.iso', 'x'],
])('names the files of %s after it', async (path, base) => {
  await mkdir(join(cwd, 'dir.iso'));
  await writeFile(join(cwd, path), liveIso('2023-07'));
  expect((await pxe('--output-dir=out', path)).stdout).toContain(`out/${base}-vmlinuz\n`);
});

it('works on an image that is customized, and on one without embed area', async () => {
  await runCli(['iso', 'kargs', 'modify', '-a', 'x', 'coreos.iso'], { cwd });
  expect((await pxe('coreos.iso')).code).toBe(0);
  const other = liveIsoWith((all) => (all.delete('images/ignition.img'), all.delete('coreos/igninfo.json')));
  await writeFile(join(cwd, 'other.iso'), other);
  expect((await pxe('other.iso')).code).toBe(0);
});

it('has kernel.img where the image has it', async () => {
  const image = liveIsoWith((all) => all.set('images/pxeboot/kernel.img', Buffer.from('kernel')));
  await writeFile(join(cwd, 's390x.iso'), image);
  expect((await pxe('s390x.iso')).stdout).toContain('./s390x-kernel.img\n');
});

it('copies files of several chunks', async () => {
  const rootfs = Buffer.alloc(3 * 1024 * 1024 + 17, 'noise');
  const image = liveIsoWith((all) => all.set('images/pxeboot/rootfs.img', rootfs));
  await writeFile(join(cwd, 'large.iso'), image);
  await pxe('large.iso');
  expect(await read('large-rootfs.img')).toEqual(rootfs);
});

it('replaces files with --overwrite', async () => {
  await pxe('coreos.iso');
  await writeFile(join(cwd, 'coreos-vmlinuz'), 'mine');
  expect((await pxe('--overwrite', 'coreos.iso')).code).toBe(0);
  expect(await read('coreos-vmlinuz')).toEqual(contentOf('vmlinuz'));
});

describe('refuses', () => {
  it('to replace a file, before it writes any', async () => {
    await writeFile(join(cwd, 'coreos-vmlinuz'), 'mine');
    expect(await pxe('coreos.iso')).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(
        /^error: File exists: \.\/coreos-vmlinuz\nhint: replace it with --overwrite/,
      ),
    });
    expect(await readdir(cwd)).toEqual(['coreos-vmlinuz', 'coreos.iso']);
  });

  it.each([
    ['a file as folder', ['-o', 'coreos.iso', 'coreos.iso'], /^error: File exists: coreos\.iso\n/],
    ['a folder below a file', ['-o', 'coreos.iso/x', 'coreos.iso'], /^error: A part of the path is not/],
    ['an image that is not there', ['none.iso'], /^error: ISO image not found: none\.iso\n/],
    ['another image', ['other'], /^error: other: not an ISO 9660 image\nhint: /],
  ])('%s', async (_title, args, message) => {
    await writeFile(join(cwd, 'other'), 'text');
    const { code, stderr } = await pxe(...args);
    expect(code).toBe(1);
    expect(stderr).toMatch(message);
  });

  it('names that lead out of the folder', async () => {
    const bytes = Buffer.from(liveIso('2023-07'));
    bytes.write('../../X.;1', bytes.indexOf('VMLINUZ.;1'));
    await writeFile(join(cwd, 'coreos.iso'), bytes);
    const { code, stderr } = await pxe('-o', 'out', 'coreos.iso');
    expect(code).toBe(1);
    expect(stderr).toMatch(/^error: coreos\.iso: path "\.\.\/\.\.\/x" contains path traversal\n/);
    expect(await readdir(cwd)).toEqual(['coreos.iso']);
  });

  it('wrong usage', async () => {
    expect((await pxe()).code).toBe(2);
    expect((await pxe('-o', 'a', '-o', 'b', 'coreos.iso')).code).toBe(2);
    expect((await runCli(['iso', 'extract'])).code).toBe(2);
  });
});
