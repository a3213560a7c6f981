import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CliError, FormatError } from '../../src/core/errors.ts';
import { changedImage } from '../../src/image/imageChange.ts';
import { openIsoTree } from '../../src/image/isoTree.ts';
import {
  findKargsAreas,
  findKargsLayout,
  type KargsAreas,
  requireKargsAreas,
  writeKargs,
} from '../../src/image/kargsAreas.ts';
import { trimSpace } from '../../src/formats/goText.ts';
import { bytesAccess } from '../../src/image/overlay.ts';
import { defaultKargs } from '../support/sampleIso.ts';
import { layouts, liveIso, liveIsoWith } from '../support/liveIso.ts';

const DEFAULTS = defaultKargs('fedora-coreos-99.20990101.dev.0');
const INFO = 'coreos/kargs.json';

const find = async (bytes: Uint8Array): Promise<KargsAreas | undefined> => {
  const image = bytesAccess(bytes);
  return findKargsAreas(await openIsoTree(image));
};
const areasOf = async (bytes: Uint8Array): Promise<KargsAreas> => requireKargsAreas(await find(bytes));

async function write(bytes: Uint8Array, kargs: string): Promise<Uint8Array> {
  const change = { patches: writeKargs(await areasOf(bytes), kargs) };
  const image = changedImage(bytesAccess(bytes), change);
  return Uint8Array.from(await image.read(0, image.size));
}

const withAreas = layouts.filter((layout) => layout !== '2020-09');

describe.each(withAreas)('layout %s', (layout) => {
  const original = liveIso(layout);

  it('has the default arguments in all areas', async () => {
    const areas = await areasOf(original);
    expect(areas).toMatchObject({ current: DEFAULTS, defaults: DEFAULTS });
    expect(areas.length).toBe(layout === 's390x' ? 896 : DEFAULTS.length + 1024);
    expect(areas.places).toHaveLength(layout === 's390x' ? 1 : 2);
  });

  it('gives back what was written, and its original bytes when the defaults are written', async () => {
    const changed = await write(original, `  ${DEFAULTS} a=1 ü\n`);
    expect(changed).toHaveLength(original.length);
    expect((await areasOf(changed)).current).toBe(`${DEFAULTS} a=1 ü`);
    expect(await write(changed, DEFAULTS)).toEqual(original);
  });

  it('takes arguments that fill it to the brim, and not one byte more', async () => {
    const { length } = await areasOf(original);
    const full = 'é'.repeat((length - 1) >> 1).padEnd(length - 1 - ((length - 1) >> 1), 'x');
    expect((await areasOf(await write(original, full))).current).toBe(full);
    await expect(write(original, `${full}x`)).rejects.toThrow(
      new RegExp(`^kargs too large for area: ${length + 1} vs ${length}$`),
    );
  });
});

it('layout 2020-09 has no areas', async () => {
  expect(await find(liveIso('2020-09'))).toBeUndefined();
  expect(() => requireKargsAreas(undefined)).toThrow(
    /^No karg embed areas found; old or corrupted CoreOS ISO image\.$/,
  );
  expect(() => writeKargs(undefined, '')).toThrow(/^No karg embed areas found/);
});

it('without kargs.json and with another header there are none', async () => {
  const bytes = Buffer.from(liveIso('2021-01'));
  bytes.write('corekarg', 32_672, 'latin1');
  expect(await find(bytes)).toBeUndefined();
});

it('any arguments come back from every layout', async () => {
  const images = withAreas.map((layout) => liveIso(layout));
  // What looks like padding at the end is taken for it, by everybody.
  const kargs = fc
    .string({ unit: 'grapheme', maxLength: 200 })
    .map(trimSpace)
    .filter((text) => !/[#\0\n]$/.test(text));
  await fc.assert(
    fc.asyncProperty(kargs, fc.constantFrom(...images), async (text, image) => {
      expect((await areasOf(await write(image, text))).current).toBe(text);
    }),
    { numRuns: 25 },
  );
});

/** An image whose `kargs.json` has some members in place of the real ones. */
const withInfo = (members: object): Uint8Array =>
  liveIsoWith((files) => {
    const info: object = JSON.parse(Buffer.from(files.get(INFO) ?? []).toString());
    files.set(INFO, Buffer.from(JSON.stringify({ ...info, ...members })));
  });
const withInfoText = (text: string): Uint8Array => liveIsoWith((files) => files.set(INFO, Buffer.from(text)));
const grub = 'EFI/fedora/grub.cfg';

describe('kargs.json', () => {
  it('may name places twice', async () => {
    const place = { path: grub, offset: 0, pad: ' ', end: '\n' };
    const { places } = await areasOf(withInfo({ default: '', size: 8, files: [place, place] }));
    expect(places).toHaveLength(1);
  });

  it('may have blanks around the default arguments, which are no part of them', async () => {
    const areas = await areasOf(withInfo({ default: ` ${DEFAULTS}\n` }));
    expect(areas.defaults).toBe(areas.current);
  });

  it('may have members for other programs, and null', async () => {
    const files = [{ path: grub, offset: 0, pad: null, end: null, other: 1 }];
    expect((await areasOf(withInfo({ default: '', size: 8, files, more: {} }))).places).toEqual([
      { offset: expect.any(Number) },
    ]);
  });

  it.each<[string, Uint8Array, RegExp]>([
    ['no JSON', withInfoText('{'), /not JSON/],
    ['no object', withInfoText('[]'), /not a JSON object/],
    ['null', withInfoText('null'), /not a JSON object/],
    ['no default', withInfo({ default: 1 }), /no string "default"/],
    ['no size', withInfo({ size: '1' }), /no valid "size"/],
    ['a negative size', withInfo({ size: -1 }), /no valid "size"/],
    ['no files', withInfo({ files: {} }), /no list "files"/],
    ['no file at all', withInfo({ files: [] }), /^No karg embed areas found; corrupted CoreOS ISO image\.$/],
    ['a file that is none', withInfo({ files: [1] }), /contains an invalid entry in "files"$/],
    ['a file without path', withInfo({ files: [{ offset: 1 }] }), /without path or offset/],
    ['a file with a fraction', withInfo({ files: [{ path: grub, offset: 1.5 }] }), /without path or offset/],
    ['a file that is not there', withInfo({ files: [{ path: 'x', offset: 1 }] }), /lists the missing file x/],
    ['a folder', withInfo({ files: [{ path: 'coreos', offset: 1 }] }), /lists the missing file coreos/],
    [
      'an area behind its file',
      withInfo({ files: [{ path: grub, offset: 9e15 }] }),
      /exceeds the end of EFI/,
    ],
    [
      'a long padding',
      withInfo({ files: [{ path: grub, offset: 1, pad: '##' }] }),
      /invalid "pad": one ASCII/,
    ],
    [
      'an end of two bytes',
      withInfo({ files: [{ path: grub, offset: 1, end: 'é' }] }),
      /invalid "end": one ASCII/,
    ],
    ['areas that overlap', withInfo({ files: [1, 2].map((offset) => ({ path: grub, offset })) }), /overlap/],
    [
      'one area with two paddings',
      withInfo({ files: ['#', ' '].map((pad) => ({ path: grub, offset: 1, pad })) }),
      /overlap/,
    ],
    ['a large area', withInfo({ size: 2049 }), /^karg embed area size larger than 2048 \(found 2049\)$/],
    [
      'long defaults',
      withInfo({ default: 'é'.repeat(1000) }),
      /^default kargs size 2000 larger than embed areas \(\d+\)$/,
    ],
  ])('with %s is refused', async (_title, bytes, message) => {
    const error: unknown = await find(bytes).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(FormatError);
    expect(error).toMatchObject({ message: expect.stringMatching(message), hint: expect.any(String) });
  });
});

/** An image whose header `coreKarg` is changed. */
const header = (edit: (bytes: Buffer) => void): Uint8Array => {
  const bytes = Buffer.from(liveIso('2021-01'));
  edit(bytes);
  return bytes;
};

describe('the header coreKarg', () => {
  it.each<[string, (bytes: Buffer) => void, RegExp]>([
    [
      'a large area',
      (bytes) => bytes.writeBigUInt64LE(2049n, 32_680),
      /size larger than 2048 \(found 2049\)/,
    ],
    ['an endless area', (bytes) => bytes.writeBigUInt64LE(2n ** 64n - 1n, 32_680), /size larger than 2048/],
    ['defaults beyond the end', (bytes) => bytes.writeBigUInt64LE(2n ** 63n, 32_688), /exceed the end/],
    [
      'defaults at the end',
      (bytes) => bytes.writeBigUInt64LE(BigInt(bytes.length - 9), 32_688),
      /exceeds? the end/,
    ],
    ['an area beyond the end', (bytes) => bytes.writeBigUInt64LE(2n ** 53n + 2n, 32_704), /exceeds the end/],
    [
      'an area at the end',
      (bytes) => bytes.writeBigUInt64LE(BigInt(bytes.length - 9), 32_704),
      /exceeds? the end/,
    ],
    ['no area', (bytes) => bytes.writeBigUInt64LE(0n, 32_696), /^No karg embed areas found; corrupted/],
    [
      'two areas that overlap',
      (bytes) => bytes.writeBigUInt64LE(bytes.readBigUInt64LE(32_696) + 1n, 32_704),
      /overlap/,
    ],
  ])('with %s is refused', async (_title, edit, message) => {
    await expect(find(header(edit))).rejects.toThrow(message);
    await expect(find(header(edit))).rejects.toBeInstanceOf(FormatError);
  });

  it('survives any numbers', async () => {
    const number = fc.oneof(
      fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }),
      fc.bigInt({ min: 0n, max: 2n ** 20n }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(number, { minLength: 8, maxLength: 8 }), async (numbers) => {
        const bytes = header((edited) =>
          numbers.forEach((value, index) => edited.writeBigUInt64LE(value, 32_680 + index * 8)),
        );
        const problem = await find(bytes).then(
          () => undefined,
          (error: unknown) => error,
        );
        expect(problem === undefined || problem instanceof CliError).toBe(true);
      }),
      { numRuns: 40 },
    );
  });
});

/** An image with these bytes at the start of one of its areas. */
const damage = async (place: number, bytes: Uint8Array): Promise<Uint8Array> => {
  const image = Buffer.from(liveIso('2023-07'));
  image.set(bytes, (await areasOf(image)).places[place]?.offset ?? 0);
  return image;
};

describe('areas that do not hold what they should', () => {
  it('refuses areas that differ, in the words that scripts look for', async () => {
    const image = await damage(1, Buffer.from('xyz'));
    await expect(find(image)).rejects.toThrow(
      new RegExp(
        `^kargs don't match at all offsets! \\(expected '${DEFAULTS}', but offset \\d+ has: 'xyz${DEFAULTS.slice(3)}'\\)$`,
      ),
    );
  });

  it('refuses what is no UTF-8', async () => {
    await expect(find(await damage(0, Uint8Array.of(255)))).rejects.toThrow(
      /^invalid UTF-8 in karg area at offset \d+$/,
    );
  });

  it.each([0, 1])('and knows where they are all the same (%i)', async (place) => {
    const image = bytesAccess(await damage(place, Uint8Array.of(255)));
    await expect(findKargsLayout(await openIsoTree(image))).resolves.toMatchObject({
      defaults: DEFAULTS,
    });
    await expect(find(await damage(place, Uint8Array.of(255)))).rejects.toMatchObject({
      hint: expect.stringContaining('iso reset --force'),
    });
  });
});
