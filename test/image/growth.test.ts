import { createHash } from 'node:crypto';
import * as fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { readPartitionTable } from '../../src/formats/gpt.ts';
import { originalImage, readAppendix } from '../../src/image/appendix.ts';
import { embedIgnition, readIgnition, removeIgnition } from '../../src/image/embeddedIgnition.ts';
import type { Growth } from '../../src/image/growth.ts';
import { hostIso } from '../../src/image/hostImages.ts';
import { changedImage, type ImageChange } from '../../src/image/imageChange.ts';
import { customizeIso } from '../../src/image/customize/customization.ts';
import { openIsoTree } from '../../src/image/isoTree.ts';
import { requireKargsAreas } from '../../src/image/kargsAreas.ts';
import { type LiveIso, openLiveIso, resetIso } from '../../src/image/liveIso.ts';
import type { MediumFile } from '../../src/image/mediumFiles.ts';
import { removeNetworkSettings } from '../../src/image/networkSettings.ts';
import { bytesAccess } from '../../src/image/overlay.ts';
import { hybridIso, layouts, liveIso } from '../support/liveIso.ts';

const noise = (length: number): Uint8Array =>
  createHash('shake256', { outputLength: length }).update('noise').digest();
const digest = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');
const open = async (bytes: Uint8Array, growth: Growth = 'usual'): Promise<LiveIso> =>
  openLiveIso(bytesAccess(bytes), growth);

async function apply(bytes: Uint8Array, change: ImageChange): Promise<Uint8Array> {
  const changed = changedImage(bytesAccess(bytes), change);
  return Uint8Array.from(await changed.read(0, changed.size));
}

const embed = async (bytes: Uint8Array, length: number): Promise<Uint8Array> =>
  apply(bytes, await embedIgnition(await open(bytes), { config: noise(length), existing: 'replace' }));
const remove = async (bytes: Uint8Array): Promise<Uint8Array> =>
  apply(bytes, await removeIgnition(await open(bytes)));

async function takeBack(bytes: Uint8Array): Promise<Uint8Array> {
  const image = bytesAccess(bytes);
  const appendix = await readAppendix(await openIsoTree(image));
  const original = appendix === undefined ? image : originalImage(image, appendix);
  return original.read(0, original.size);
}

/** Past 256 KiB, and still past it. */
const [LARGE, LARGER] = [340_000, 370_000];

const growing: [string, Uint8Array, large: number, larger: number][] = [
  ...layouts
    .filter((layout) => layout !== 's390x')
    .map((layout): [string, Uint8Array, number, number] => [layout, liveIso(layout), LARGE, LARGER]),
  ['hybrid with a partition table', hybridIso(), 270_000, 300_000],
];

describe.each(growing)('an image of the layout %s that grows', (_layout, original, large, larger) => {
  let growth: ImageChange;
  let grown: Uint8Array;
  beforeAll(async () => {
    growth = await embedIgnition(await open(original), { config: noise(large), existing: 'replace' });
    grown = await apply(original, growth);
  });

  it('holds a config past 256 KiB, in both trees', async () => {
    expect((await readIgnition(await open(grown))) ?? noise(1)).toEqual(noise(large));
    const [primary, joliet] = await Promise.all(
      (['primary', 'joliet'] as const).map(async (names) =>
        (await openIsoTree(bytesAccess(grown), names)).find('images/ignition.img'),
      ),
    );
    expect(primary?.offset).toBeGreaterThanOrEqual(original.length);
    expect([joliet?.offset, joliet?.size]).toEqual([primary?.offset, primary?.size]);
  });

  it('has its original bytes again when the config is removed', async () => {
    expect(digest(await remove(grown))).toBe(digest(original));
  });

  it('goes back into its area as soon as the config fits, as if it had never been longer', async () => {
    const small = await embed(original, 1000);
    expect(digest(await embed(grown, 1000))).toBe(digest(small));
  });

  it('grows again, and gives all of it back', async () => {
    const regrown = await embed(grown, larger);
    expect((await readIgnition(await open(regrown))) ?? noise(1)).toEqual(noise(larger));
    expect(digest(await remove(regrown))).toBe(digest(original));
  });

  it('is restored also after others have emptied the area and edited the arguments', async () => {
    const edited = Buffer.from(grown);
    const { embedArea } = await open(edited);
    edited.fill(0, embedArea.offset, embedArea.offset + embedArea.length);
    expect(digest(await takeBack(edited))).toBe(digest(original));
  });
});

it('a grown image keeps a valid partition table that reaches to its end', async () => {
  const grown = await embed(hybridIso(), LARGE);
  const table = readPartitionTable(grown.subarray(0, 32_768));
  expect(table).toBeDefined();
  const blocks = grown.length / 512;
  const header = Buffer.from(grown.buffer, grown.byteOffset).subarray(512, 1024);
  expect(Number(header.readBigUInt64LE(32))).toBe(blocks - 1);
  expect(Buffer.from(grown).toString('latin1', grown.length - 512, grown.length - 504)).toBe('EFI PART');
});

/** Configs that no archive shortens, so that their bytes are found in the image, behind those that gzip encodes with its header. */
const configOf = (name: string, length: number): Buffer =>
  createHash('shake256', { outputLength: length }).update(name).digest();
const SMALL = configOf('small secret', 3000);
const [BIG, OTHER] = [configOf('big secret', LARGER), configOf('other secret', LARGE)];
const KEYFILE: [string, Uint8Array] = ['etc/coreos-firstboot-network/eth0.nmconnection', SMALL];
const agent = { name: 'agent.tar', content: bytesAccess(configOf('agent', 5000)) };
const other = { name: 'other.tar', content: bytesAccess(configOf('another agent', 7000)) };
const embedOf =
  (config: Uint8Array, mediumFiles: MediumFile[] = []) =>
  (iso: LiveIso) =>
    embedIgnition(iso, { config, existing: 'replace', mediumFiles });

type Edit = (iso: LiveIso) => Promise<ImageChange>;

async function applyAll(original: Uint8Array, edits: readonly Edit[]): Promise<Uint8Array> {
  let bytes = original;
  for (const edit of edits) bytes = await apply(bytes, await edit(await open(bytes)));
  return bytes;
}

/** Edits, and the edits that make the same image of the original. */
const histories: [string, Edit[], Edit[]][] = [
  [
    'a config that grew, replaced by a smaller one that also grew',
    [embedOf(BIG), embedOf(OTHER)],
    [embedOf(OTHER)],
  ],
  [
    'a config in the reserved area, replaced by one that grew',
    [embedOf(SMALL), embedOf(BIG)],
    [embedOf(BIG)],
  ],
  [
    'a config that grew, removed beside a file on the medium',
    [embedOf(BIG, [agent]), removeIgnition],
    [(iso) => iso.change({ mediumFiles: [agent] })],
  ],
  [
    'a config that grew, replaced beside a file on the medium, then beside two',
    [embedOf(BIG, [agent]), embedOf(OTHER), embedOf(SMALL, [other])],
    [embedOf(SMALL, [agent, other])],
  ],
  [
    'a file on the medium after a config that grew, which then shrinks and grows',
    [embedOf(BIG), embedOf(OTHER, [agent]), embedOf(SMALL), embedOf(BIG)],
    [embedOf(BIG, [agent])],
  ],
  [
    'a grown image that a service changes for a host',
    [
      embedOf(BIG),
      embedOf(OTHER, [agent]),
      async (iso) => hostIso(await openLiveIso(iso.image), { config: SMALL, network: [], kargs: ['a=1'] }),
    ],
    [
      embedOf(SMALL, [agent]),
      async (iso) => iso.change({ kargs: `${requireKargsAreas(await iso.kargsAreas()).defaults} a=1` }),
    ],
  ],
  [
    'keyfiles that are removed from a grown image',
    [
      embedOf(BIG),
      async (iso) => iso.change({ files: new Map([...(await iso.embeddedFiles()), KEYFILE]) }),
      (iso) => iso.change({ kargs: 'a=1' }),
      removeNetworkSettings,
    ],
    [embedOf(BIG), (iso) => iso.change({ kargs: 'a=1' })],
  ],
  [
    'a customized image that is customized again',
    [
      embedOf(BIG, [agent]),
      async (iso) => (await customizeIso(iso, new Map([['config.ign', SMALL]]), { append: ['b=1'] })).change,
    ],
    [
      embedOf(SMALL, [agent]),
      async (iso) => iso.change({ kargs: `${requireKargsAreas(await iso.kargsAreas()).defaults} b=1` }),
    ],
  ],
  [
    'a grown image with a file on the medium that is reset',
    [embedOf(BIG), embedOf(OTHER, [agent]), resetIso],
    [],
  ],
];

describe.each([
  ['with a header', liveIso('2021-09')],
  ['with a partition table', hybridIso()],
])('an image %s holds nothing of its past', (_title, original) => {
  it.each(histories)('%s', async (_name, edits, same) => {
    const edited = Buffer.from(await applyAll(original, edits));
    expect(digest(edited)).toBe(digest(await applyAll(original, same)));
    const iso = await open(edited);
    const current = [...(await iso.embeddedFiles()).values()];
    for (const secret of [BIG, OTHER]) {
      const isCurrent = current.some((data) => secret.equals(data));
      expect(edited.includes(secret.subarray(100_000, 100_100))).toBe(isCurrent);
    }
  });
});

/** What a sequence of edits leaves, as the contents of one change. */
interface Model {
  config?: Uint8Array;
  keyfile?: boolean;
  kargs?: string;
  readonly mediumFiles: MediumFile[];
}

const NAMES = ['agent.tar', 'A longer name.tar', 'b', 'größe'];
const steps: Readonly<Record<string, (model: Model) => Edit>> = {
  'small config': (model) => ((model.config = SMALL), embedOf(SMALL)),
  'large config': (model) => ((model.config = BIG), embedOf(BIG)),
  'other config': (model) => ((model.config = OTHER), embedOf(OTHER)),
  'no config': (model) => (delete model.config, removeIgnition),
  keyfile: (model) => {
    model.keyfile = true;
    return async (iso) => iso.change({ files: new Map([...(await iso.embeddedFiles()), KEYFILE]) });
  },
  'no keyfile': (model) => ((model.keyfile = false), removeNetworkSettings),
  kargs: (model) => {
    model.kargs = 'a=1';
    return (iso) => iso.change({ kargs: 'a=1' });
  },
  file: (model) => {
    const name = NAMES[model.mediumFiles.length] ?? '';
    const file = { name, content: bytesAccess(configOf(name, 3000 * name.length)) };
    if (name === '') return () => Promise.resolve({ patches: [] });
    model.mediumFiles.push(file);
    return (iso) => iso.change({ mediumFiles: [file] });
  },
  reset: (model) => {
    delete model.config;
    delete model.kargs;
    model.keyfile = false;
    model.mediumFiles.length = 0;
    return resetIso;
  },
};

describe.each([
  ['with a header', liveIso('2021-09')],
  ['with a partition table', hybridIso()],
])('an image %s', (_title, original) => {
  it('is the same after any sequence of edits as after one edit of the original', async () => {
    const names = fc.array(fc.constantFrom(...Object.keys(steps)), { minLength: 2, maxLength: 7 });
    await fc.assert(
      fc.asyncProperty(names, async (sequence) => {
        const model: Model = { mediumFiles: [] };
        const edited = await applyAll(
          original,
          sequence.map((name) => steps[name]!(model)),
        );
        const { config, keyfile, kargs, mediumFiles } = model;
        const files = new Map([
          ...(keyfile === true ? [KEYFILE] : []),
          ...(config === undefined ? [] : [['config.ign', config] as const]),
        ]);
        const change = await (await open(original)).change({ files, mediumFiles, ...(kargs && { kargs }) });
        expect(digest(edited)).toBe(digest(await apply(original, change)));
      }),
      { numRuns: 40 },
    );
  });
});

it('an image that may not grow is not made longer by an archive that has spare space', async () => {
  const grown = await embed(liveIso('2023-07'), LARGE);
  const iso = await open(grown, 'refused');
  const next = await apply(grown, await embedOf(configOf('next', LARGE + 5000))(iso));
  expect(next.length).toBe(grown.length);
  expect((await open(next)).embedArea).toEqual(iso.embedArea);
});

describe('an image that may not grow', () => {
  it.each<[string, [Uint8Array, Growth], RegExp, RegExp]>([
    [
      'nobody said --grow',
      [liveIso('2023-07'), 'refused'],
      /^Compressed initramfs is too large: \d+ > 262144$/,
      /^use --grow .* is \d+ bytes too large$/,
    ],
    [
      'the area is a part of the boot image',
      [liveIso('s390x'), 'any'],
      /^Compressed initramfs is too large/,
      /this image cannot grow/,
    ],
  ])('%s', async (_title, image, message, hint) => {
    const run = embedIgnition(await open(...image), { config: noise(LARGE), existing: 'replace' });
    await expect(run).rejects.toThrow(message);
    await expect(run).rejects.toMatchObject({ hint: expect.stringMatching(hint) });
  });

  it('grows past 32 MiB only when it is forced to', async () => {
    const original = liveIso('2023-07');
    const zeros = new Uint8Array(33 * 1024 * 1024);
    const contents = Buffer.concat([zeros, noise(LARGE)]);
    const run = embedIgnition(await open(original), { config: contents, existing: 'replace' });
    await expect(run).rejects.toThrow(
      'The embedded files require 34 MiB of memory on the host, more than 32 MiB',
    );
    const change = await embedIgnition(await open(original, 'any'), {
      config: contents,
      existing: 'replace',
    });
    expect(change.patches.length).toBeGreaterThan(1);
  });
});

it('bears damage anywhere in the record: answers or explains', async () => {
  const original = liveIso('2022-02');
  const grown = await embed(original, LARGE);
  const { volume } = await openIsoTree(bytesAccess(grown));
  const end = volume.volumeSpaceSize * 2048;
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 2048 }),
      fc.integer({ min: 1, max: 255 }),
      async (back, value) => {
        const copy = Uint8Array.from(grown);
        copy[end - back] = (copy[end - back] ?? 0) ^ value;
        const image = bytesAccess(copy);
        const tree = await openIsoTree(image);
        const outcome = await readAppendix(tree).then(
          (appendix) => appendix === undefined || appendix.originalSize === original.length,
          (error: unknown) => error instanceof Error && /is damaged/.test(error.message),
        );
        expect(outcome).toBe(true);
      },
    ),
    { numRuns: 120 },
  );
});
