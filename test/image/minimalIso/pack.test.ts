import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { CliError } from '../../../src/errors.ts';
import { changedImage } from '../../../src/image/imageChange.ts';
import { type LiveIso, openLiveIso } from '../../../src/image/liveIso.ts';
import { adaptKargs, openMinimalIso } from '../../../src/image/minimalIso/extract.ts';
import { packMinimalIso } from '../../../src/image/minimalIso/pack.ts';
import { verifyReconstruction } from '../../../src/image/minimalIso/reconstruct.ts';
import { bytesAccess } from '../../../src/image/overlay.ts';
import { isoPair } from '../../support/minimalIso.ts';

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
    ['the full ISO for both', full, full, 'the minimal ISO has coreos/miniso.dat too'],
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

  it('are refused without coreos.liveiso', async () => {
    const minimal = await openMinimalIso(await packed(isoPair(rename)));
    await expect(adaptKargs(minimal, undefined)).rejects.toThrow('does not have coreos.liveiso= karg');
  });
});
