import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { CliError, FormatError } from '../../../src/core/errors.ts';
import { changedImage } from '../../../src/image/imageChange.ts';
import { type LiveIso, openLiveIso } from '../../../src/image/liveIso.ts';
import {
  adaptKargs,
  findRootfs,
  openMinimalIso,
  reconstructMinimalIso,
  verifyReconstruction,
} from '../../../src/image/minimalIso/extract.ts';
import type { MinisoData } from '../../../src/image/minimalIso/minisoData.ts';
import { bytesAccess, slice } from '../../../src/image/overlay.ts';
import { liveIso, liveIsoWith } from '../../support/liveIso.ts';
import { isoPair, packedIso, rootfs } from '../../support/minimalIso.ts';
import { storeXz } from '../../support/xzStreams.ts';

const full = createHash('shake256', { outputLength: 10 * 2048 })
  .update('full')
  .digest();
const gaps = Buffer.alloc(2048 + 48 + 5, 'gap');
const expected = Buffer.concat([
  gaps.subarray(0, 2048),
  full.subarray(3 * 2048, 3 * 2048 + 2000),
  gaps.subarray(2048, 2096),
  full.subarray(0, 2048),
  gaps.subarray(2096),
]);
const sound: MinisoData = {
  files: [
    { minimalSector: 1, fullSector: 3, length: 2000 },
    { minimalSector: 2, fullSector: 0, length: 2048 },
  ],
  digest: createHash('sha256').update(expected).digest(),
  packed: storeXz(gaps),
};

const copies = (count: number): MinisoData['files'] =>
  Array.from({ length: count }, (_, index) => ({ minimalSector: index, fullSector: 0, length: 2048 }));

describe('the minimal ISO', () => {
  it('is files of the full one with what was packed between them', async () => {
    const minimal = await reconstructMinimalIso(bytesAccess(full), sound);
    expect(minimal.image.size).toBe(expected.length);
    expect(await minimal.image.read(0, expected.length)).toEqual(expected);
    expect(await minimal.image.read(2000, 2200)).toEqual(expected.subarray(2000, 4200));
    await verifyReconstruction(minimal);
  });

  it('says both digests where they differ', async () => {
    const other = Buffer.from(full);
    other[0]! ^= 1;
    const minimal = await reconstructMinimalIso(bytesAccess(other), sound);
    await expect(verifyReconstruction(minimal)).rejects.toThrow(
      /^wrong final digest: expected [0-9a-f]{64}, found [0-9a-f]{64}$/,
    );
  });

  it.each<[string, Partial<MinisoData>, string]>([
    [
      'a file beyond the end',
      { files: [{ minimalSector: 0, fullSector: 10, length: 1 }] },
      'exceeds the end',
    ],
    ['a file that ends beyond', { files: [{ minimalSector: 0, fullSector: 9, length: 2049 }] }, 'exceeds'],
    ['too little packed', { files: [{ minimalSector: 2, fullSector: 0, length: 1 }] }, 'contains less data'],
    ['one file again and again', { files: copies(11) }, 'larger than the full ISO'],
    ['something else than xz', { packed: Buffer.from('packed') }, 'xz data'],
    ['nothing packed', { packed: new Uint8Array() }, 'xz data is truncated'],
    [
      'more packed than the image has',
      { packed: storeXz(new Uint8Array(20_481)) },
      'decompresses to more than 20480 bytes',
    ],
  ])('is refused: %s', async (_title, change, message) => {
    const made = reconstructMinimalIso(bytesAccess(full), { ...sound, ...change });
    await expect(made).rejects.toThrow(message);
    await expect(made).rejects.toBeInstanceOf(FormatError);
  });
});

const open = async (bytes: Uint8Array): Promise<LiveIso> => openLiveIso(bytesAccess(bytes));
const text = (content: string): Uint8Array => Buffer.from(content);
const packed = async (pair = isoPair()): Promise<LiveIso> => open(await packedIso(pair));

it.each<[string, (files: Map<string, Uint8Array>) => void]>([
  ['the files of releases', () => undefined],
  ['an empty file', (files) => files.set('empty', new Uint8Array())],
  ['a file that fills its sectors', (files) => files.set('round', new Uint8Array(4096).fill(1))],
])('%s: the minimal ISO comes out as it was', async (_title, edit) => {
  const pair = isoPair(edit);
  const minimal = await openMinimalIso(await packed(pair));
  await verifyReconstruction(minimal);
  expect(await minimal.image.read(0, minimal.image.size)).toEqual(pair.minimal);
});

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
