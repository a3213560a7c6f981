import { mkdtemp, readdir, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { writeIso9660 } from '../../../src/formats/iso9660/writer.ts';
import { writeInitrd } from '../../../src/image/initrd.ts';
import { liveIso } from '../../support/liveIso.ts';
import { runCli, type RunOptions, type RunResult } from '../../support/runCli.ts';

const archive = (...paths: readonly string[]): Uint8Array =>
  writeInitrd(new Map(paths.map((path) => [path, Buffer.from(`in ${path}`)])));

const byName = (left: string, right: string): number => (left < right ? -1 : 1);

let cwd: string;
beforeEach(async () => {
  cwd = await realpath(await mkdtemp(join(tmpdir(), 'dev commands ')));
  await Promise.all([
    writeFile(join(cwd, 'coreos.iso'), liveIso('2023-07')),
    writeFile(join(cwd, 'x.img'), archive('etc/b.json', 'etc/a.json', 'init')),
    writeFile(join(cwd, 'text'), 'an initramfs begins with another text\n'.repeat(10)),
  ]);
});
afterEach(async () => rm(cwd, { recursive: true, force: true }));

const run = async (args: readonly string[], options: RunOptions = {}): Promise<RunResult> =>
  runCli(['dev', ...args], { cwd, ...options });
const split = (line: string): string[] => line.split(' ').filter((part) => part !== '');

describe('show iso', () => {
  it('describes any ISO image', async () => {
    const image = writeIso9660(
      { volumeId: 'PLAIN', date: new Date(0) },
      new Map([['a.txt', Buffer.from('a')]]),
    );
    await writeFile(join(cwd, 'plain.iso'), image);
    const { code, stdout } = await run(['show', 'iso', 'plain.iso']);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      header: { descriptors: [{ type: 'primary', volume_id: 'PLAIN' }, { type: 'supplementary' }] },
      records: ['A.TXT'],
    });
    const { code: failed, stderr } = await run(['show', 'iso', '--kargs', 'plain.iso']);
    expect([failed, stderr]).toEqual([1, expect.stringContaining('Unrecognized CoreOS ISO image')]);
  });

  it('tells where the reserved areas are', async () => {
    const bytes = await readFile(join(cwd, 'coreos.iso'));
    const { offset, length } = JSON.parse((await run(['show', 'iso', '--ignition', 'coreos.iso'])).stdout);
    expect(length).toBe(262_144);
    expect(bytes.subarray(offset, offset + length).every((byte) => byte === 0)).toBe(true);
    const kargs = JSON.parse((await run(['show', 'iso', '--kargs', 'coreos.iso'])).stdout);
    expect(Object.keys(kargs)).toEqual(['length', 'default', 'kargs']);
    for (const place of kargs.kargs) {
      expect(place).toMatchObject({ length: kargs.length, pad: '#', end: '\n' });
      expect(bytes.toString('utf8', place.offset, place.offset + kargs.default.length)).toBe(kargs.default);
    }
  });

  it('prints null where there is no place for kernel arguments', async () => {
    await writeFile(join(cwd, 'old.iso'), liveIso('2020-09'));
    expect((await run(['show', 'iso', '--kargs', 'old.iso'])).stdout).toBe('null\n');
  });
});

describe('show initrd', () => {
  it.each([
    [[], 'etc/a.json\netc/b.json\ninit\n'],
    [['*.json'], 'etc/a.json\netc/b.json\n'],
    [['init', '**/b*'], 'etc/b.json\ninit\n'],
    [['nothing'], ''],
    [['--format', 'text', '?nit'], 'init\n'],
  ])('%j', async (globs, expected) => {
    const { code, stdout, stderr } = await run(['show', 'initrd', 'x.img', ...globs]);
    expect([code, stdout, stderr]).toEqual([0, expected, '']);
  });

  it('gives sizes in JSON, and reads standard input', async () => {
    const stdin = Buffer.concat([archive('a', 'b'), archive('b/c')]);
    const { stdout } = await run(['show', 'initrd', '-', '--format', 'json'], { stdin });
    expect(JSON.parse(stdout)).toEqual({
      files: [
        { path: 'a', size: 4 },
        { path: 'b', size: 4 },
        { path: 'b/c', size: 6 },
      ],
    });
    expect((await run(['show', 'initrd', '-'])).stdout).toBe('');
  });
});

describe('extract initrd', () => {
  it('writes what matches, and tells of it only when asked', async () => {
    expect(await run(['extract', 'initrd', 'x.img', '-C', 'out', '*.json'])).toMatchObject({
      code: 0,
      stdout: '',
    });
    expect((await readdir(join(cwd, 'out'), { recursive: true })).toSorted(byName)).toEqual([
      'etc',
      'etc/a.json',
      'etc/b.json',
    ]);
    const { stdout } = await run(['extract', 'initrd', '-v', 'x.img', 'init']);
    expect(stdout).toBe('./init\n');
    expect(await readFile(join(cwd, 'init'), 'utf8')).toBe('in init');
  });

  it('a later member wins', async () => {
    const later = writeInitrd(new Map([['init', Buffer.from('later')]]));
    await run(['extract', 'initrd', '-', '-C', 'out'], { stdin: Buffer.concat([archive('init'), later]) });
    expect(await readFile(join(cwd, 'out/init'), 'utf8')).toBe('later');
  });

  it.each(['../evil', 'a/../../evil', '/evil'])('refuses %s before writing anything', async (path) => {
    const { code, stdout, stderr } = await run(['extract', 'initrd', '-v', '-', '-C', 'out'], {
      stdin: archive('a', path),
    });
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toContain(`path ${path} contains path traversal`);
    expect(await readdir(cwd)).toEqual(['coreos.iso', 'text', 'x.img']);
  });
});

describe('errors are one line and a hint', () => {
  it.each([
    ['show iso nowhere.iso', 'ISO image not found: nowhere.iso'],
    ['show iso x.img', 'x.img: not an ISO 9660 image'],
    ['show initrd nowhere', 'Initramfs not found: nowhere'],
    ['show initrd coreos.iso', 'coreos.iso is an ISO image, not an initramfs'],
    [
      'show initrd text',
      'text: Cannot read the initramfs: reading CPIO entry at byte 0: Invalid magic number',
    ],
    [
      'show initrd x.img [a',
      'parsing glob patterns: "[a": Pattern syntax error near position 0: invalid range pattern',
    ],
    ['extract initrd -C x.img x.img', 'File exists: x.img'],
  ])('%s', async (line, message) => {
    const { code, stderr, stdout } = await run(split(line));
    expect(stderr.split('\n')).toEqual([`error: ${message}`, expect.stringMatching(/^hint: /), '']);
    expect([code, stdout]).toEqual([1, '']);
  });
});

it.each([
  '',
  'show',
  'extract',
  'show iso',
  'show initrd',
  'show iso --kargs --ignition coreos.iso',
  'show initrd --format yaml x.img',
  'extract initrd -C a -C b x.img',
])('dev %s is a usage error', async (line) => {
  const { code, stdout, stderr } = await run(split(line));
  expect([code, stdout]).toEqual([2, '']);
  expect(stderr).not.toBe('');
});

it('is not shown, but has help that fits 80 columns', async () => {
  expect((await runCli(['--help'])).stdout).not.toMatch(/^ {2}dev/m);
  for (const line of ['', 'show', 'show iso', 'show initrd', 'extract', 'extract initrd']) {
    const { code, stdout } = await run([...split(line), '--help']);
    expect(code).toBe(0);
    expect(stdout.split('\n').filter((text) => text.length > 80)).toEqual([]);
  }
});
