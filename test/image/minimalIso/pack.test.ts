import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { CliError } from '../../../src/core/errors.ts';
import { changedImage } from '../../../src/image/imageChange.ts';
import type { IsoEntry } from '../../../src/image/isoTree.ts';
import { type LiveIso, openLiveIso } from '../../../src/image/liveIso.ts';
import {
  adaptKargs,
  findRootfs,
  openMinimalIso,
  verifyReconstruction,
} from '../../../src/image/minimalIso/extract.ts';
import { packMinimalIso } from '../../../src/image/minimalIso/pack.ts';
import { bytesAccess, slice } from '../../../src/image/overlay.ts';
import { liveIso, liveIsoWith } from '../../support/liveIso.ts';
import { isoPair, rootfs } from '../../support/minimalIso.ts';

const open = async (bytes: Uint8Array): Promise<LiveIso> => openLiveIso(bytesAccess(bytes));
const digest = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');
const text = (content: string): Uint8Array => Buffer.from(content);

/** The full ISO with the minimal one in it. */
const packed = async (pair = isoPair()): Promise<LiveIso> => {
  const { change } = await packMinimalIso(await open(pair.full), await open(pair.minimal));
  return openLiveIso(changedImage(bytesAccess(pair.full), change));
};

const edited = (edit: (files: Map<string, Uint8Array>) => void): Uint8Array => isoPair(edit).minimal;

describe('packing', () => {
  it.each<[string, (files: Map<string, Uint8Array>) => void]>([
    ['the files of releases', () => undefined],
    ['an empty file', (files) => files.set('empty', new Uint8Array())],
    ['a file that fills its sectors', (files) => files.set('round', new Uint8Array(4096).fill(1))],
  ])('%s: the minimal ISO comes out as it was', async (_title, edit) => {
    const pair = isoPair(edit);
    const minimal = await openMinimalIso(await packed(pair));
    await verifyReconstruction(minimal);
    const bytes = await minimal.image.read(0, minimal.image.size);
    expect(digest(bytes)).toBe(digest(pair.minimal));
  });

  it('says what is shared and what is packed, and keeps the size of the image', async () => {
    const { full, minimal } = isoPair();
    const result = await packMinimalIso(await open(full), await open(minimal));
    expect(result.sharedBytes + result.packedBytes).toBe(minimal.length);
    expect(result.fileCount).toBe(10);
    expect(result.compressedBytes).toBeLessThan(4096);
    expect((await packed()).image.size).toBe(full.length);
  });

  const { full, minimal } = isoPair();
  it.each<[string, Uint8Array, Uint8Array, string]>([
    [
      'a file that the full ISO lacks',
      full,
      edited((files) => files.set('x', text('x'))),
      'missing minimal file x',
    ],
    [
      'a file of another length',
      full,
      edited((files) => files.set('README.txt', text('x'))),
      'File README.txt has different lengths in full and minimal ISOs',
    ],
    [
      'a file with other content',
      isoPair((files) => files.set('a', text('a'))).full,
      edited((files) => files.set('a', text('b'))),
      'wrong final digest: expected',
    ],
    ['the full ISO for both', full, full, 'the minimal ISO contains coreos/miniso.dat'],
    ['the minimal ISO first', minimal, full, 'The full ISO has no coreos/miniso.dat'],
    [
      'a reserved file that is too small',
      isoPair((files) => files.has('coreos/miniso.dat') && files.set('coreos/miniso.dat', text('x'))).full,
      minimal,
      'coreos/miniso.dat of the full ISO is too small',
    ],
  ])('is refused: %s', async (_title, one, other, message) => {
    const attempt = packMinimalIso(await open(one), await open(other));
    await expect(attempt).rejects.toThrow(message);
    await expect(attempt).rejects.toBeInstanceOf(CliError);
  });

  it.each<[string, () => Promise<Uint8Array>, string]>([
    [
      'files that overlap',
      async () => moved((await recordIn(minimal, 'isolinux/isolinux.cfg')).offset),
      'overlap at',
    ],
    ['a file beyond its end', async () => moved(2 ** 31 * 2048), 'a file exceeds the end of the minimal ISO'],
    [
      'too much that no file covers',
      async () => Buffer.concat([minimal, Buffer.alloc(64 * 1024 * 1024)]),
      'the minimal ISO has too much data outside of files: ',
    ],
    [
      'more than the full one',
      async () => Buffer.concat([minimal, Buffer.alloc(4_000_000)]),
      'the minimal ISO is larger than the full ISO',
    ],
  ])('is refused where the minimal ISO contains %s', async (_title, make, message) => {
    const attempt = packMinimalIso(await open(full), await open(await make()));
    await expect(attempt).rejects.toThrow(message);
    await expect(attempt).rejects.toBeInstanceOf(CliError);
  });

  /** The minimal ISO with the first sector of a file at another place. */
  async function moved(offset: number): Promise<Uint8Array> {
    const bytes = Buffer.from(minimal);
    bytes.writeUInt32LE(offset / 2048, (await recordIn(minimal, 'README.txt')).recordOffset + 2);
    return bytes;
  }
});

async function recordIn(bytes: Uint8Array, path: string): Promise<IsoEntry> {
  const entry = await (await open(bytes)).tree.find(path);
  if (entry === undefined) throw new Error(`no ${path}`);
  return entry;
}

it('a minimal ISO has no root filesystem', async () => {
  const pair = isoPair();
  expect((await findRootfs(await open(pair.full))).size).toBe(rootfs.length);
  const found = open(pair.minimal).then(findRootfs);
  await expect(found).rejects.toThrow('This ISO image has no images/pxeboot/rootfs.img');
  await expect(found).rejects.toBeInstanceOf(CliError);
});

const kargsOf = async (url: string | undefined): Promise<unknown> => {
  const minimal = await openMinimalIso(await packed());
  const image = changedImage(minimal.image, await adaptKargs(minimal, url));
  expect(image.size).toBe(minimal.image.size);
  const areas = await (await openLiveIso(image)).kargsAreas();
  return { current: areas?.current, defaults: areas?.defaults };
};

const rename = (files: Map<string, Uint8Array>): void => {
  for (const path of ['EFI/fedora/grub.cfg', 'isolinux/isolinux.cfg', 'coreos/kargs.json']) {
    const before = Buffer.from(files.get(path) ?? []).toString();
    files.set(path, text(before.replaceAll('coreos.liveiso', 'codeos.liveiso')));
  }
};

describe('kernel arguments of a minimal ISO', () => {
  const defaults = 'mitigations=auto,nosmt ignition.firstboot ignition.platform.id=metal';

  it('have no coreos.liveiso, also by default', async () => {
    expect(await kargsOf(undefined)).toEqual({ current: defaults, defaults });
  });

  it('have the URL of the root filesystem, not by default', async () => {
    const current = `${defaults} coreos.live.rootfs_url=http://[2001:db8::1]/r?a=b`;
    expect(await kargsOf('http://[2001:db8::1]/r?a=b')).toEqual({ current, defaults });
  });

  it('are refused where they do not fit', async () => {
    await expect(kargsOf(`http://${'x'.repeat(1100)}/`)).rejects.toThrow('kargs too large for area: ');
  });

  it.each<[string, Uint8Array, string]>([
    ['without a file that tells them', liveIso('2021-01'), 'minimal ISO does not have kargs.json'],
    [
      'with a file that has no room for what they become',
      liveIsoWith((files) => {
        const info: unknown = JSON.parse(Buffer.from(files.get('coreos/kargs.json') ?? []).toString());
        files.set('coreos/kargs.json', text(JSON.stringify(info)));
      }),
      'New version of coreos/kargs.json does not fit in space (',
    ],
  ])('are refused %s', async (_title, bytes, message) => {
    const minimal = {
      ...(await openMinimalIso(await packed())),
      image: slice(bytesAccess(bytes), { offset: 0, length: bytes.length }),
    };
    await expect(adaptKargs(minimal, undefined)).rejects.toThrow(message);
  });

  it('are refused without coreos.liveiso', async () => {
    const minimal = await openMinimalIso(await packed(isoPair(rename)));
    await expect(adaptKargs(minimal, undefined)).rejects.toThrow('does not have coreos.liveiso= karg');
  });
});
