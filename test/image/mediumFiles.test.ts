import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { originalImage, readAppendix } from '../../src/image/appendix.ts';
import { embedIgnition, readIgnition, removeIgnition } from '../../src/image/embeddedIgnition.ts';
import { changedImage, type ImageChange } from '../../src/image/imageChange.ts';
import { openIsoTree } from '../../src/image/isoTree.ts';
import { type IsoContents, type LiveIso, openLiveIso, resetIso } from '../../src/image/liveIso.ts';
import { bytesAccess } from '../../src/image/overlay.ts';
import { hybridIso, liveIso, liveIsoWith } from '../support/liveIso.ts';

const noise = (length: number): Uint8Array =>
  createHash('shake256', { outputLength: length }).update('noise').digest();
const digest = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');
const open = async (bytes: Uint8Array): Promise<LiveIso> => openLiveIso(bytesAccess(bytes), 'usual');
const file = (name: string, length: number): NonNullable<IsoContents['mediumFiles']>[number] => ({
  name,
  content: bytesAccess(noise(length)),
});

async function apply(bytes: Uint8Array, change: ImageChange): Promise<Uint8Array> {
  const changed = changedImage(bytesAccess(bytes), change);
  return Uint8Array.from(await changed.read(0, changed.size));
}

const add = async (bytes: Uint8Array, contents: IsoContents): Promise<Uint8Array> =>
  apply(bytes, await (await open(bytes)).change(contents));

async function takeBack(bytes: Uint8Array): Promise<Uint8Array> {
  const image = bytesAccess(bytes);
  const appendix = await readAppendix(await openIsoTree(image));
  const original = appendix === undefined ? image : originalImage(image, appendix);
  return original.read(0, original.size);
}

async function readBack(bytes: Uint8Array, name: string): Promise<string | undefined> {
  const tree = await openIsoTree(bytesAccess(bytes));
  const entry = await tree.find(`coreos/${name}`);
  return entry && digest(await tree.readFile(entry, { maxBytes: 10_000_000 }));
}

describe.each([
  ['the current layout', liveIso('2023-07')],
  ['a hybrid image', hybridIso()],
  ['an s390x image', liveIso('s390x')],
])('%s', (_title, original) => {
  it.each([
    ['rootfs-extra.tar', 5000],
    ['A long name with spaces, and more than eight.three.letters', 4096],
    ['empty', 0],
    ['größe', 1],
  ])('shows %s, and gives back its bytes', async (name, length) => {
    const added = await add(original, { mediumFiles: [file(name, length)] });
    expect(await readBack(added, name)).toBe(digest(noise(length)));
    expect(digest(await takeBack(added))).toBe(digest(original));
  });

  it('gives a file to read only the attributes of one that a single name refers to', async () => {
    // Rock Ridge 1.12, section 4.1.1: mode 0100444 and 1 link, each in both byte orders.
    const attributes = Buffer.from('5058240124810000000081240100000000000001', 'hex');
    const added = await add(original, { mediumFiles: [file('one', 3000)] });
    const record = Buffer.from(added).indexOf('NM\u0008\u0001\u0000one', 'latin1');
    expect(
      Buffer.from(added)
        .subarray(record - 100, record)
        .includes(attributes),
    ).toBe(true);
  });

  it('takes several at once and later, next to a kernel argument and a config', async () => {
    const first = await add(original, { mediumFiles: [file('one', 3000), file('two', 10)], kargs: 'quiet' });
    const second = await add(first, { mediumFiles: [file('three', 7)] });
    expect(await readBack(second, 'two')).toBe(digest(noise(10)));
    expect(await readBack(second, 'three')).toBe(digest(noise(7)));
    expect((await (await open(second)).kargsAreas())?.current).toBe('quiet');
  });
});

it('a config that grew and files keep out of each other', async () => {
  const original = liveIso('2023-07');
  const grown = await apply(
    original,
    await embedIgnition(await open(original), { config: noise(340_000), existing: 'refuse' }),
  );
  const both = await add(grown, { mediumFiles: [file('one', 3000)] });
  const removed = await apply(both, await removeIgnition(await open(both)));
  expect(await readIgnition(await open(removed))).toBeUndefined();
  expect((await open(removed)).embedArea).toEqual((await open(original)).embedArea);
  expect(await readBack(removed, 'one')).toBe(digest(noise(3000)));
  expect(digest(await takeBack(removed))).toBe(digest(original));
});

describe('refused', () => {
  const many = Array.from({ length: 40 }, (_, index) => file(`file-${index}`, 1));
  it.each<[string, Uint8Array, IsoContents, RegExp]>([
    [
      'a name that is there',
      liveIso('2023-07'),
      { mediumFiles: [file('kargs.json', 1)] },
      /already contains a file coreos\/kargs.json/,
    ],
    [
      'the short name of a file of the image',
      liveIso('2023-07'),
      { mediumFiles: [file('KARGS.JSO', 1)] },
      /already contains a file coreos\/KARGS.JSO/,
    ],
    [
      'a name twice',
      liveIso('2023-07'),
      { mediumFiles: [file('a', 1), file('A', 1)] },
      /already contains a file coreos\/A/,
    ],
    ['a path', liveIso('2023-07'), { mediumFiles: [file('../a', 1)] }, /^Invalid file name/],
    ['no name', liveIso('2023-07'), { mediumFiles: [file('', 1)] }, /^Invalid file name/],
    [
      'more than there is room for',
      liveIso('2023-07'),
      { mediumFiles: many },
      /is full: the file names require/,
    ],
    [
      'an image without the folder',
      liveIso('2021-01'),
      { mediumFiles: [file('a', 1)] },
      /contains no folder coreos/,
    ],
    [
      'a minimal ISO',
      liveIsoWith((files) => files.delete('images/pxeboot/rootfs.img')),
      { mediumFiles: [file('a', 1)] },
      /^Files on a minimal ISO are not visible/,
    ],
  ])('%s', async (_title, original, contents, message) => {
    await expect((await open(original)).change(contents)).rejects.toThrow(message);
  });
});

describe('files on the medium with coreos.liveiso.fromram, which unmounts it', () => {
  const fromRam = { kargs: 'quiet coreos.liveiso.fromram' };
  const mediumFiles = [file('a', 0)];
  const message = 'with coreos.liveiso.fromram the live system unmounts the medium';

  it.each<[string, IsoContents, IsoContents, string]>([
    ['both at once', {}, { ...fromRam, mediumFiles }, 'omit coreos.liveiso.fromram, or '],
    ['the argument after the file', { mediumFiles }, fromRam, 'omit coreos.liveiso.fromram, or '],
    ['the file after the argument', fromRam, { mediumFiles }, 'kargs modify -d coreos.liveiso.fromram`'],
    ['with a value', { kargs: 'coreos.liveiso.fromram=1' }, { mediumFiles }, '-d coreos.liveiso.fromram=1`'],
  ])('are refused: %s', async (_title, before, contents, hint) => {
    const bytes = await add(liveIso('2023-07'), before);
    await expect(add(bytes, contents)).rejects.toMatchObject({
      message: expect.stringContaining(message),
      hint: expect.stringContaining(hint),
    });
  });

  it('are accepted where the file, or the argument, is gone', async () => {
    const added = await add(liveIso('2023-07'), { mediumFiles });
    const reset = await apply(added, await resetIso(await open(added)));
    expect((await add(reset, fromRam)).length).toBe(reset.length);
    const named = await add(liveIso('2023-07'), fromRam);
    expect(await readBack(await add(named, { mediumFiles, kargs: 'quiet' }), 'a')).toBeDefined();
  });
});

it('an empty file on the medium stays when a config beside it is replaced and removed', async () => {
  const original = liveIso('2023-07');
  const added = await add(original, { mediumFiles: [file('empty', 0)] });
  const grown = await add(added, { files: new Map([['config.ign', noise(340_000)]]) });
  const removed = await apply(grown, await removeIgnition(await open(grown)));
  expect(digest(removed)).toBe(digest(added));
});
