import { createHash } from 'node:crypto';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FormatError } from '../../../src/core/errors.ts';
import { embedIgnition } from '../../../src/image/embeddedIgnition.ts';
import { changedImage, type ImageChange } from '../../../src/image/imageChange.ts';
import { encodeGzip } from '../../../src/formats/gzip.ts';
import { writeCpio } from '../../../src/formats/cpio.ts';
import { writeInitrd } from '../../../src/image/initrd.ts';
import type { IsoInspection } from '../../../src/image/inspection/inspection.ts';
import { inspectIso } from '../../../src/image/inspection/inspectImage.ts';
import { totalMemory } from '../../../src/image/inspection/memoryNeed.ts';
import { type LiveIso, openLiveIso } from '../../../src/image/liveIso.ts';
import { bytesAccess } from '../../../src/image/overlay.ts';
import { type Layout, liveIso, liveIsoWith } from '../../support/liveIso.ts';
import { isoPair } from '../../support/minimalIso.ts';

const GIB = 1024 ** 3;
const config = Buffer.from('{"ignition":{"version":"3.4.0"}}');
const inspect = async (bytes: Uint8Array): Promise<IsoInspection> => inspectIso(bytesAccess(bytes));
const rulesOf = ({ issues }: IsoInspection): string[] => issues.map(({ rule }) => rule);

async function changed(
  bytes: Uint8Array,
  change: (iso: LiveIso) => Promise<ImageChange>,
  growth?: 'usual',
): Promise<Uint8Array> {
  const result = changedImage(
    bytesAccess(bytes),
    await change(await openLiveIso(bytesAccess(bytes), growth)),
  );
  return Uint8Array.from(await result.read(0, result.size));
}

describe('inspectIso', () => {
  it.each<[Layout, string, number | undefined, readonly string[]]>([
    ['2023-07', '2023 and later', 1139, ['BIOS (ISOLINUX)', 'UEFI (GRUB)']],
    ['2022-02', '2022', 1139, ['BIOS (ISOLINUX)', 'UEFI (GRUB)']],
    ['2021-09', '2021-09 to 2022-01', 1139, ['BIOS (ISOLINUX)', 'UEFI (GRUB)']],
    ['2021-01', '2020-10 to 2021-09', 1139, ['BIOS (ISOLINUX)', 'UEFI (GRUB)']],
    ['2020-09', 'before 2020-10', undefined, ['BIOS (ISOLINUX)', 'UEFI (GRUB)']],
    ['s390x', '2023 and later', 896, ['s390x CD boot']],
  ])('tells layout %s', async (name, layout, kargsLength, bootLoaders) => {
    const bytes = liveIso(name);
    const iso = await inspect(bytes);
    expect(iso).toMatchObject({
      size: bytes.length,
      label: 'fedora-coreos-99.20990101.dev.0',
      isMinimal: false,
      layout,
      bootLoaders,
      embedArea: { length: 262_144, used: 0 },
    });
    expect(iso.kargs?.length).toBe(kargsLength);
    expect(iso.kargs?.current).toBe(iso.kargs?.defaults);
    expect(iso.files?.size).toBe(0);
    expect(totalMemory(iso.memory)).toBe(2 * GIB);
    expect(rulesOf(iso)).toEqual(name === '2020-09' ? [] : ['image-config-missing']);
  });

  it.each<[string, Uint8Array]>([
    ['an archive of this program', writeInitrd(new Map([['config.ign', config]]))],
    ['a long archive', encodeGzip(Buffer.from(writeCpio(new Map([['config.ign', Buffer.alloc(300_000)]]))))],
  ])('counts what is used of the embed area by %s', async (_format, archive) => {
    const bytes = liveIsoWith((files) =>
      files.set('images/ignition.img', Buffer.concat([archive, Buffer.alloc(262_144 - archive.length)])),
    );
    const used = (await inspect(bytes)).embedArea?.used ?? 0;
    // The checksum and the padding behind it may end with zeros, as does the area.
    expect(Math.abs(used - archive.length)).toBeLessThan(8);
  });

  it('adds embedded files to the memory', async () => {
    const bytes = await changed(liveIso('2023-07'), (iso) =>
      embedIgnition(iso, { config, existing: 'refuse' }),
    );
    const iso = await inspect(bytes);
    expect(totalMemory(iso.memory)).toBe(2 * GIB + config.length);
    expect(rulesOf(iso)).toEqual([]);
  });

  it('adds the root filesystem to the memory where it is copied', async () => {
    const bytes = await changed(liveIso('2023-07'), async (iso) => {
      const kargs = (await iso.kargsAreas())?.current ?? '';
      return iso.change({ kargs: `${kargs} coreos.liveiso.fromram` });
    });
    const iso = await inspect(bytes);
    expect(totalMemory(iso.memory)).toBe(2 * GIB + (iso.rootfsSize ?? 0));
  });

  it('knows what was appended', async () => {
    const noise = createHash('shake256', { outputLength: 400_000 }).update('noise').digest();
    const original = liveIso('2023-07');
    const bytes = await changed(
      original,
      (iso) =>
        embedIgnition(iso, {
          config: noise,
          existing: 'refuse',
          mediumFiles: [{ name: 'agent.tar', content: bytesAccess(Buffer.alloc(5000, 1)) }],
        }),
      'usual',
    );
    const { appended, embedArea } = await inspect(bytes);
    expect(appended).toEqual({
      originalSize: original.length,
      hasGrown: true,
      files: [{ name: 'agent.tar', size: 5000 }],
    });
    expect(embedArea?.length).toBeGreaterThan(400_000);
  });

  it('tells a minimal ISO from a full one', async () => {
    const { full, minimal } = isoPair();
    expect(await inspect(full)).toMatchObject({
      isMinimal: false,
      rootfsSize: 3_000_001,
      hasMinimalIso: false,
    });
    const iso = await inspect(minimal);
    expect(iso.isMinimal).toBe(true);
    expect(iso.memory[0]?.what).toContain('fetches its root filesystem');
    expect(rulesOf(iso)).toContain('image-rootfs-missing');
  });
});

/** The current layout with these bytes in place of what begins with `mark`. */
function damaged(mark: string, bytes: string, from = 0): Uint8Array {
  const image = Buffer.from(liveIso('2023-07'));
  image.write(bytes, image.indexOf(mark, from), 'latin1');
  return image;
}

describe('inspectIso of a damaged image', () => {
  const noArea = liveIsoWith((files) => {
    files.delete('coreos/igninfo.json');
    files.delete('images/ignition.img');
  });

  it.each<[string, Uint8Array, string, string]>([
    [
      'no archive in the embed area',
      liveIsoWith((files) => files.set('images/ignition.img', Buffer.alloc(262_144, 'x'))),
      'image-unreadable',
      'iso reset --force',
    ],
    ['no embed area', noArea, 'image-unreadable', 'download'],
    ['different kernel arguments', damaged('mitigations=', 'other'), 'image-unreadable', 'iso reset --force'],
    [
      'kernel arguments that are no text',
      damaged('mitigations=', '\xff\xff'),
      'image-unreadable',
      'iso reset --force',
    ],
    [
      'features that are no JSON',
      liveIsoWith((files) => files.set('coreos/features.json', Buffer.from('{'))),
      'image-unreadable',
      'download',
    ],
  ])('with %s still says the rest', async (_title, bytes, rule, hint) => {
    const iso = await inspect(bytes);
    const issue = iso.issues.find((each) => each.rule === rule);
    expect(issue?.severity).toBe('error');
    expect(issue?.hint).toContain(hint);
    expect(iso).toMatchObject({ label: 'fedora-coreos-99.20990101.dev.0', architecture: 'x86_64' });
  });

  it('masks kernel arguments that an error quotes', async () => {
    const bytes = Buffer.from(
      await changed(liveIso('2023-07'), async (iso) => iso.change({ kargs: 'ipa-agent-token=hunter2' })),
    );
    bytes.write('ipb', bytes.indexOf('ipa-agent-token'));
    const messages = (await inspect(bytes)).issues.map(({ message }) => message).join('\n');
    expect(messages).toContain("kargs don't match at all offsets!");
    expect(messages).not.toContain('hunter2');
  });

  it.each<[string, Uint8Array]>([
    ['no ISO', Buffer.alloc(100_000)],
    ['one that is cut off', liveIso('2023-07').subarray(0, 200_000)],
  ])('refuses %s', async (_title, bytes) => {
    await expect(inspect(bytes)).rejects.toBeInstanceOf(FormatError);
  });

  it('ends with an answer or a FormatError, whatever is damaged', async () => {
    const original = liveIso('2023-07');
    const places = fc.array(fc.tuple(fc.nat(90_000), fc.nat(255)), { minLength: 1, maxLength: 20 });
    await fc.assert(
      fc.asyncProperty(places, async (changes) => {
        const bytes = Uint8Array.from(original);
        for (const [offset, value] of changes) bytes[32_768 + offset] = value;
        const outcome = await inspect(bytes).catch((error: unknown) => error);
        expect(outcome instanceof FormatError || Object(outcome).kind === 'iso').toBe(true);
      }),
      { numRuns: 80 },
    );
  });
});
