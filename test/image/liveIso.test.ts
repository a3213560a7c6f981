import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { CliError } from '../../src/core/errors.ts';
import { readEmbedArea } from '../../src/image/embedArea.ts';
import { embedIgnition, readIgnition, removeIgnition } from '../../src/image/embeddedIgnition.ts';
import { changedImage, type ImageChange } from '../../src/image/imageChange.ts';
import { writeInitrd } from '../../src/image/initrd.ts';
import { type LiveIso, openLiveIso } from '../../src/image/liveIso.ts';
import { bytesAccess, patchSource, zeros } from '../../src/image/overlay.ts';
import { layouts, liveIso, liveIsoWith } from '../support/liveIso.ts';

const config = new TextEncoder().encode('{"ignition":{"version":"3.4.0"}}');
const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text);
const open = async (bytes: Uint8Array): Promise<LiveIso> => openLiveIso(bytesAccess(bytes));
const digest = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

async function apply(bytes: Uint8Array, change: ImageChange): Promise<Uint8Array> {
  const patched = changedImage(bytesAccess(bytes), change);
  return Uint8Array.from(await patched.read(0, patched.size));
}

describe.each(layouts)('layout %s', (layout) => {
  const original = liveIso(layout);

  it('has an empty area of 256 KiB', async () => {
    const iso = await open(original);
    expect(iso.embedArea.length).toBe(262_144);
    expect(await readIgnition(iso)).toBeUndefined();
    expect(iso.label).toBe('fedora-coreos-99.20990101.dev.0');
  });

  it('gives back what was embedded, and its original bytes when that is removed', async () => {
    const embedded = await apply(
      original,
      await embedIgnition(await open(original), { config, existing: 'refuse' }),
    );
    expect(embedded).toHaveLength(original.length);
    const iso = await open(embedded);
    expect(Buffer.from((await readIgnition(iso)) ?? [])).toEqual(Buffer.from(config));
    expect(digest(await apply(embedded, await removeIgnition(iso)))).toBe(digest(original));
  });

  it('changes nothing outside of the area', async () => {
    const iso = await open(original);
    for (const patch of (await embedIgnition(iso, { config, existing: 'refuse' })).patches) {
      expect(patch.offset).toBeGreaterThanOrEqual(iso.embedArea.offset);
      const end = patch.offset + patchSource(patch).size;
      expect(end).toBeLessThanOrEqual(iso.embedArea.offset + iso.embedArea.length);
    }
  });
});

/** An image whose area holds these bytes. */
const withArea = (area: Uint8Array): Uint8Array =>
  liveIsoWith((files) => files.set('images/ignition.img', Buffer.concat([area], 262_144)));

describe('the embed area', () => {
  it('keeps network settings through embedding and removing', async () => {
    const keyfile = 'etc/coreos-firstboot-network/eth0.nmconnection';
    const before = withArea(writeInitrd(new Map([[keyfile, utf8('[connection]\n')]])));
    const embedded = await apply(
      before,
      await embedIgnition(await open(before), { config, existing: 'refuse' }),
    );
    expect([...(await (await open(embedded)).embeddedFiles()).keys()].toSorted()).toEqual([
      'config.ign',
      keyfile,
    ]);
    const removed = await apply(embedded, await removeIgnition(await open(embedded)));
    expect(digest(removed)).toBe(digest(before));
  });

  it('refuses a second config, and replaces it when told to', async () => {
    const iso = await open(withArea(writeInitrd(new Map([['config.ign', new Uint8Array()]]))));
    await expect(embedIgnition(iso, { config, existing: 'refuse' })).rejects.toThrow(
      'This ISO image already has an embedded Ignition config; use -f to force.',
    );
    expect((await embedIgnition(iso, { config, existing: 'replace' })).patches).not.toEqual([]);
  });

  it('has nothing to do when there is no config to remove', async () => {
    expect((await removeIgnition(await open(liveIso('2023-07')))).patches).toEqual([]);
  });

  it('refuses what does not fit, and says how much too large it is', async () => {
    const noise = createHash('shake256', { outputLength: 300_000 }).update('noise').digest();
    const iso = await open(liveIso('2023-07'));
    await expect(embedIgnition(iso, { config: noise, existing: 'refuse' })).rejects.toThrow(
      /^Compressed initramfs is too large: 30\d{4} > 262144$/,
    );
  });

  it('is not read where it is larger than any', async () => {
    const area = { offset: 0, length: 512 * 1024 * 1024 + 1 };
    await expect(readEmbedArea(zeros(area.length), area)).rejects.toThrow(
      'its reserved area is too large: 536870913 > 536870912',
    );
  });

  it('takes a config that fills it to the brim', async () => {
    const noise = createHash('shake256', { outputLength: 261_700 }).update('noise').digest();
    const original = liveIso('2023-07');
    const embedded = await apply(
      original,
      await embedIgnition(await open(original), { config: noise, existing: 'refuse' }),
    );
    expect((await readIgnition(await open(embedded))) ?? new Uint8Array()).toEqual(noise);
  });

  it.each<[string, Uint8Array]>([
    [
      'no area at all',
      liveIsoWith((files) => (files.delete('coreos/igninfo.json'), files.delete('images/ignition.img'))),
    ],
    [
      'a folder in place of the area',
      liveIsoWith((files) => files.set('coreos/igninfo.json', utf8('{"file":"images"}'))),
    ],
    ['igninfo.json that is no JSON', liveIsoWith((files) => files.set('coreos/igninfo.json', utf8('{')))],
    ['igninfo.json that is a number', liveIsoWith((files) => files.set('coreos/igninfo.json', utf8('7')))],
    ['igninfo.json that is no object', liveIsoWith((files) => files.set('coreos/igninfo.json', utf8('[]')))],
    [
      'igninfo.json without file',
      liveIsoWith((files) => files.set('coreos/igninfo.json', utf8('{"length": 3}'))),
    ],
    [
      'igninfo.json with a missing file',
      liveIsoWith((files) => files.set('coreos/igninfo.json', utf8('{"file": "x"}'))),
    ],
    ...[
      '{"file":"images/ignition.img","offset":-1}',
      '{"file":"images/ignition.img","offset":262145}',
      '{"file":"images/ignition.img","length":262145}',
      '{"file":"images/ignition.img","length":1e300}',
      '{"file":"images/ignition.img","offset":"1"}',
    ].map((text): [string, Uint8Array] => [
      text,
      liveIsoWith((files) => files.set('coreos/igninfo.json', utf8(text))),
    ]),
  ])('refuses an image with %s', async (_title, bytes) => {
    await expect(open(bytes)).rejects.toThrow(/^Unrecognized CoreOS ISO image/);
    await expect(open(bytes)).rejects.toBeInstanceOf(CliError);
  });

  it.each<[string, Uint8Array]>([
    ['text', utf8('no archive')],
    ['a damaged archive', writeInitrd(new Map([['config.ign', config]])).fill(7, 30, 60)],
    ['an archive that is cut off', writeInitrd(new Map([['config.ign', config]])).subarray(0, 80)],
  ])('refuses %s in the area', async (_title, area) => {
    await expect(readIgnition(await open(withArea(area)))).rejects.toThrow(/^Unrecognized CoreOS ISO image/);
  });
});
