/** Images that do not boot together: every command that takes them refuses them, and writes nothing. */

import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { randomBytes } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { writeInitrd } from '../../../src/image/initrd.ts';
import { liveIso, liveIsoWith } from '../../support/liveIso.ts';
import { cpio, isolinux, kernel, ldlinux, liveBuild } from '../../support/newIso.ts';
import { runCli } from '../../support/runCli.ts';
import { inventory } from '../../support/twoHosts.ts';

const one = liveBuild('44.1.3.0');
const other = liveBuild('45.2.3.0', '6.19.1-100.fc45.x86_64');
/** Another build with the same kernel. */
const third = liveBuild('44.2.3.0');
/** With a larger archive behind it than the end that is searched for stamps. */
const extended = Buffer.concat([
  one.initramfs,
  writeInitrd(
    new Map([
      ['config.ign', Buffer.from('{}')],
      ['large', randomBytes(300_000)],
    ]),
  ),
]);
const arm = Buffer.alloc(2048);
arm.write('ARM\x64', 56);

/** A kernel whose header does not state its release. */
const unnamed = Buffer.from(kernel).fill(0, 0x20e, 0x210);

const isoOf = (initramfs: Uint8Array): Uint8Array =>
  liveIsoWith((files) => files.set('images/pxeboot/initrd.img', initramfs));

const files: Readonly<Record<string, Uint8Array | string>> = {
  'inv.yaml': inventory,
  'auth.json': '{"auths":{"registry.example.com":{"auth":"aHVudGVyMjp4"}}}',
  'isolinux.bin': isolinux,
  'ldlinux.c32': ldlinux,
  kernel: one.kernel,
  initramfs: one.initramfs,
  rootfs: one.rootfs,
  iso: isoOf(one.initramfs),
  'other-kernel': other.kernel,
  'other-initramfs': other.initramfs,
  'other-rootfs': other.rootfs,
  'other-iso': isoOf(other.initramfs),
  'third-initramfs': third.initramfs,
  'third-rootfs': third.rootfs,
  'unstamped-rootfs': cpio({ 'root.squashfs': 'hsqs' }),
  'cut-gzip-kernel': gzipSync(arm).subarray(0, -5),
  'cut-initramfs': one.initramfs.subarray(0, -20),
  'cut-rootfs': one.rootfs.subarray(0, 2000),
  'cut-extended': extended.subarray(0, -200_000),
  'cut-iso': liveIso('2023-07').subarray(0, 200_000),
  'arm-kernel': gzipSync(arm),
  extended,
  lz4: Buffer.concat([Buffer.from('02214c18', 'hex'), randomBytes(1000)]),
  text: 'not an image\n',
  html: '<!DOCTYPE html>\n<title>404</title>\n',
  'text.gz': gzipSync('a text'),
  empty: '',
  squashfs: 'hsqs'.repeat(1000),
  // The names of releases.
  'fedora-coreos-44.1.3.0-live-kernel.x86_64': unnamed,
  'fedora-coreos-44.1.3.0-live-initramfs.x86_64.img': one.initramfs,
  'fedora-coreos-45.2.3.0-live-initramfs.x86_64.img': other.initramfs,
};

let cwd: string;
beforeAll(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'live parts '));
  for (const [name, data] of Object.entries(files)) await writeFile(join(cwd, name), data);
});
beforeEach(() => rm(join(cwd, 'out'), { recursive: true, force: true }));
afterAll(() => rm(cwd, { recursive: true, force: true }));

type Set = Readonly<Partial<Record<'kernel' | 'initramfs' | 'rootfs' | 'iso', string>>>;

const env = { IRONIC_BASE_URL: 'https://192.0.2.1:6385' };
const flagsOf = (set: Set, names: Readonly<Record<string, string>> = {}): string[] =>
  Object.entries(set).flatMap(([role, file]) => [names[role] ?? `--${role}`, file]);
/** By name, with the arguments for a set of images. */
const commands: Readonly<Record<string, (set: Set) => readonly string[]>> = {
  prepare: (set) => [
    ...'prepare --inventory inv.yaml -o out --base-url http://192.0.2.1'.split(' '),
    ...flagsOf(set),
  ],
  'prepare --layout metal3': (set) => [
    ...'prepare --layout metal3 --base-url http://192.0.2.1 -o out'.split(' '),
    ...flagsOf(set),
  ],
  serve: (set) => ['serve', '--inventory', 'inv.yaml', '--listen', '127.0.0.1:0', '--open', ...flagsOf(set)],
  'iso create': (set) => [
    ...'iso create --isolinux isolinux.bin --label own -o out'.split(' '),
    ...flagsOf(set, { kernel: '-k', initramfs: '-i' }),
  ],
};

interface Case {
  readonly title: string;
  readonly set: Set;
  readonly says: string | RegExp;
}

const whole: Set = { kernel: 'kernel', initramfs: 'initramfs', rootfs: 'rootfs' };
const refused: readonly Case[] = [
  // Of another kind.
  {
    title: 'kernel and initramfs swapped',
    set: { ...whole, kernel: 'initramfs', initramfs: 'kernel' },
    says: 'initramfs is an initramfs, not the kernel',
  },
  {
    title: 'initramfs and rootfs swapped',
    set: { ...whole, initramfs: 'rootfs', rootfs: 'initramfs' },
    says: 'rootfs is a root filesystem of a CoreOS live system, not the initramfs',
  },
  {
    title: 'the initramfs as the rootfs',
    set: { ...whole, rootfs: 'initramfs' },
    says: 'initramfs is an initramfs, not the rootfs',
  },
  {
    title: 'a filesystem without its archive',
    set: { ...whole, rootfs: 'squashfs' },
    says: 'squashfs is not a root filesystem of a CoreOS live system',
  },
  {
    title: 'an ISO as the kernel',
    set: { ...whole, kernel: 'iso' },
    says: 'iso is an ISO image, not the kernel',
  },
  {
    title: 'an ISO as the initramfs',
    set: { ...whole, initramfs: 'iso' },
    says: 'iso is an ISO image, not the initramfs',
  },
  { title: 'a text as the kernel', set: { ...whole, kernel: 'text' }, says: 'text is not a kernel' },
  {
    title: 'a text as the initramfs',
    set: { ...whole, initramfs: 'text' },
    says: 'text is not an initramfs',
  },
  {
    title: 'a page as the initramfs',
    set: { ...whole, initramfs: 'html' },
    says: 'html is an HTML page, not an initramfs',
  },
  {
    title: 'a packed text as the initramfs',
    set: { ...whole, initramfs: 'text.gz' },
    says: 'text.gz is not an initramfs',
  },
  {
    title: 'a packed kernel as the initramfs',
    set: { ...whole, initramfs: 'arm-kernel' },
    says: 'arm-kernel is a kernel, not the initramfs',
  },
  { title: 'an empty rootfs', set: { ...whole, rootfs: 'empty' }, says: 'empty is empty' },
  // Truncated.
  {
    title: 'a truncated packed kernel',
    set: { kernel: 'cut-gzip-kernel', initramfs: 'lz4' },
    says: 'cut-gzip-kernel is incomplete or damaged',
  },
  {
    title: 'a truncated initramfs',
    set: { ...whole, initramfs: 'cut-initramfs' },
    says: 'cut-initramfs is incomplete or damaged',
  },
  {
    title: 'a truncated archive behind an initramfs',
    set: { ...whole, initramfs: 'cut-extended' },
    says: 'cut-extended is incomplete or damaged',
  },
  {
    title: 'a truncated rootfs',
    set: { ...whole, rootfs: 'cut-rootfs' },
    says: 'cut-rootfs is incomplete or damaged',
  },
  // Of different builds.
  {
    title: 'another initramfs',
    set: { ...whole, initramfs: 'other-initramfs' },
    says: /other-initramfs is of "45\.2\.3\.0".*rootfs is of "44\.1\.3\.0"/,
  },
  {
    title: 'another rootfs',
    set: { ...whole, rootfs: 'third-rootfs' },
    says: 'third-rootfs is of "44.2.3.0"',
  },
  {
    title: 'a rootfs without a stamp',
    set: { ...whole, rootfs: 'unstamped-rootfs' },
    says: 'unstamped-rootfs is not the root filesystem that initramfs requires',
  },
];
const refusedIsos: readonly Case[] = [
  { title: 'a kernel as the ISO', set: { iso: 'kernel' }, says: 'kernel is a kernel, not the iso' },
  { title: 'a text as the ISO', set: { iso: 'text' }, says: 'text is not an ISO image' },
  { title: 'a truncated ISO', set: { iso: 'cut-iso' }, says: 'cut-iso' },
  {
    title: 'an ISO with the files of another build',
    set: { ...whole, iso: 'other-iso' },
    says: 'other-iso is of "45.2.3.0"',
  },
  {
    title: 'an ISO with another initramfs',
    set: { iso: 'iso', initramfs: 'other-initramfs' },
    says: 'iso is of "44.1.3.0"',
  },
  {
    title: 'an ISO with another rootfs',
    set: { iso: 'iso', rootfs: 'other-rootfs' },
    says: 'other-rootfs is of "45.2.3.0"',
  },
];

describe.each(Object.entries(commands))('%s', (name, line) => {
  it.each(name === 'iso create' ? refused : [...refused, ...refusedIsos])(
    'refuses $title',
    async ({ set, says }) => {
      const { code, stderr, stdout } = await runCli(line(set), { cwd, env });
      expect(`${stdout}${stderr}`.replaceAll('\\"', '"')).toMatch(says); // logs quote messages
      expect(code).toBe(1);
      expect(await listed()).toEqual([]);
    },
  );
});

/** What a command wrote: a file, or files in a folder besides its lock. */
async function listed(): Promise<string[]> {
  if ((await stat(join(cwd, 'out')).catch(() => undefined))?.isFile() === true) return ['out'];
  const names = await readdir(join(cwd, 'out'), { recursive: true }).catch(() => []);
  return names.filter((name) => !name.startsWith('.ironic-coreos'));
}

describe.each(['prepare', 'iso create'])('%s', (name) => {
  it.each<[string, Set]>([
    ['the files of one build', whole],
    ['an initramfs with more than its stamps', { ...whole, initramfs: 'extended' }],
    ['an initramfs in a format that only Linux reads', { kernel: 'kernel', initramfs: 'lz4' }],
    [
      'the files of one release',
      {
        ...whole,
        kernel: 'fedora-coreos-44.1.3.0-live-kernel.x86_64',
        initramfs: 'fedora-coreos-44.1.3.0-live-initramfs.x86_64.img',
      },
    ],
  ])('takes %s', async (_title, set) => {
    const { code, stderr } = await runCli(commands[name]?.(set) ?? [], { cwd });
    expect({ code, stderr }).toEqual({ code: 0, stderr: expect.any(String) });
  });
});
