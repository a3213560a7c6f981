import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { changedImage, type ImageChange } from '../../src/image/imageChange.ts';
import { requireKargsAreas } from '../../src/image/kargsAreas.ts';
import {
  type LiveIso,
  openLiveIso,
  resetDamagedIso,
  resetIso,
  restoreDefaultKargs,
} from '../../src/image/liveIso.ts';
import { bytesAccess } from '../../src/image/overlay.ts';
import { layouts, liveIso, liveIsoWith } from '../support/liveIso.ts';

const config = new TextEncoder().encode('{"ignition":{"version":"3.4.0"}}');
const files = new Map([['config.ign', config]]);
const open = async (bytes: Uint8Array): Promise<LiveIso> => openLiveIso(bytesAccess(bytes));
const isSame = (left: Uint8Array, right: Uint8Array): boolean => Buffer.compare(left, right) === 0;

async function apply(bytes: Uint8Array, change: ImageChange): Promise<Buffer> {
  const image = changedImage(bytesAccess(bytes), change);
  return Buffer.from(await image.read(0, image.size));
}

describe.each(layouts)('layout %s', (layout) => {
  const original = liveIso(layout);
  const hasKargs = layout !== '2020-09';

  const customized = async (): Promise<Uint8Array> => {
    const iso = await open(original);
    return apply(original, await iso.change({ files, ...(hasKargs && { kargs: 'a b' }) }));
  };

  it.each([
    ['resetIso', resetIso],
    ['resetDamagedIso', resetDamagedIso],
  ])('%s gives the original bytes', async (_name, reset) => {
    const bytes = await customized();
    expect(isSame(bytes, original)).toBe(false);
    expect(isSame(await apply(bytes, await reset(await open(bytes))), original)).toBe(true);
  });

  it('and of one that is as it was', async () => {
    expect(isSame(await apply(original, await resetIso(await open(original))), original)).toBe(true);
  });
});

it.each(layouts.filter((layout) => layout !== '2020-09'))(
  'restoreDefaultKargs leaves what is embedded, layout %s',
  async (layout) => {
    const original = liveIso(layout);
    const bytes = await apply(original, await (await open(original)).change({ files, kargs: 'a b' }));
    const iso = await open(await apply(bytes, await restoreDefaultKargs(await open(bytes))));
    const areas = requireKargsAreas(await iso.kargsAreas());
    expect(areas.current).toBe(areas.defaults);
    expect([...(await iso.embeddedFiles()).keys()]).toEqual(['config.ign']);
  },
);

it('makes a grown image as short as it was', async () => {
  const original = liveIso('2023-07');
  const iso = await openLiveIso(bytesAccess(original), 'any');
  const noise = createHash('shake256', { outputLength: 400_000 }).update('noise').digest();
  const grown = await apply(
    original,
    await iso.change({ files: new Map([['config.ign', noise]]), kargs: 'a' }),
  );
  expect(grown.length).toBeGreaterThan(original.length);
  for (const reset of [resetIso, resetDamagedIso]) {
    expect(isSame(await apply(grown, await reset(await open(grown))), original)).toBe(true);
  }
});

describe('a damaged image', () => {
  const original = liveIso('2023-07');
  const at = async (place: 'embed' | 'kargs', bytes: readonly number[]): Promise<Uint8Array> => {
    const iso = await open(original);
    const damaged = Buffer.from(original);
    const offset =
      place === 'embed' ? iso.embedArea.offset : requireKargsAreas(await iso.kargsAreas()).places[0]?.offset;
    damaged.set(bytes, offset);
    return damaged;
  };

  it.each<[string, 'embed' | 'kargs', number[], RegExp]>([
    ['what is no archive in the embed area', 'embed', [1, 2, 3], /^Unrecognized CoreOS ISO image/],
    ['half of an archive in the embed area', 'embed', [0x1f, 0x8b, 8, 0], /^Unrecognized CoreOS ISO image/],
    ['different kernel arguments', 'kargs', [120], /^kargs don't match at all offsets!/],
    ['kernel arguments that are no text', 'kargs', [255], /^invalid UTF-8 in karg area/],
  ])('with %s is refused, and repaired', async (_title, place, bytes, message) => {
    const damaged = await at(place, bytes);
    await expect(resetIso(await open(damaged))).rejects.toThrow(message);
    await expect(resetIso(await open(damaged))).rejects.toMatchObject({
      hint: expect.stringContaining('`iso reset --force`'),
    });
    expect(isSame(await apply(damaged, await resetDamagedIso(await open(damaged))), original)).toBe(true);
  });

  it('is not repaired where kargs.json is damaged', async () => {
    const damaged = liveIsoWith((all) => all.set('coreos/kargs.json', Buffer.from('{')));
    await expect(resetDamagedIso(await open(damaged))).rejects.toThrow(/kargs\.json/);
  });

  it('is refused where the areas overlap', async () => {
    const info = { default: 'a', size: 10, files: [{ path: 'images/ignition.img', offset: 5 }] };
    const hostile = liveIsoWith((all) => all.set('coreos/kargs.json', Buffer.from(JSON.stringify(info))));
    await expect(resetDamagedIso(await open(hostile))).rejects.toThrow(/overlap/);
  });
});

it('refuses to reset kernel arguments that have no place', async () => {
  await expect(restoreDefaultKargs(await open(liveIso('2020-09')))).rejects.toThrow(
    /^No karg embed areas found/,
  );
});
