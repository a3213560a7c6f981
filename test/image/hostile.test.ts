/** Images that are damaged or made to do harm: reading and editing them gives an answer or an error for the user. */

import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CliError } from '../../src/core/errors.ts';
import { readAppendix } from '../../src/image/appendix.ts';
import { embedIgnition, readIgnition } from '../../src/image/embeddedIgnition.ts';
import { changedImage, checkDisjoint, type ImageChange } from '../../src/image/imageChange.ts';
import { openIsoTree } from '../../src/image/isoTree.ts';
import { type LiveIso, openLiveIso, resetDamagedIso, resetIso } from '../../src/image/liveIso.ts';
import { bytesAccess } from '../../src/image/overlay.ts';
import { isoEntries } from '../support/isoEntries.js';
import { liveIsoWith } from '../support/liveIso.ts';

const SECTOR = 2048;
const AREA = 4096;
const small = Buffer.from('{"ignition":{"version":"3.4.0"}}');
const large = createHash('shake256', { outputLength: AREA + 500 })
  .update('large')
  .digest();
const original = liveIsoWith((files) => files.set('images/ignition.img', new Uint8Array(AREA)));

const open = (bytes: Uint8Array): Promise<LiveIso> => openLiveIso(bytesAccess(bytes), 'any');

async function apply(bytes: Uint8Array, change: ImageChange): Promise<Buffer> {
  const result = changedImage(bytesAccess(bytes), change);
  return Buffer.from(await result.read(0, result.size));
}

async function recordOf(path: string): Promise<number> {
  const entry = await (await openIsoTree(bytesAccess(original))).find(path);
  if (entry === undefined) throw new Error(`no ${path}`);
  return entry.recordOffset;
}

/** The image with other bytes at some places. */
async function changed(edit: (bytes: Buffer) => void | Promise<void>): Promise<Buffer> {
  const bytes = Buffer.from(original);
  await edit(bytes);
  return bytes;
}

const edits: [string, (iso: LiveIso) => Promise<ImageChange>][] = [
  ['embed', (iso) => embedIgnition(iso, { config: small, existing: 'replace' })],
  ['embed --grow', (iso) => embedIgnition(iso, { config: large, existing: 'replace' })],
  ['kargs', (iso) => iso.change({ kargs: 'a b' })],
  ['reset', resetIso],
  ['reset --force', resetDamagedIso],
];

describe('an image whose parts overlap is refused', () => {
  it('originals in the record of what was appended', async () => {
    const grown = await apply(
      original,
      await embedIgnition(await open(original), { config: large, existing: 'refuse' }),
    );
    const data = Buffer.alloc(16).toString('base64');
    const record = { originalSize: original.length, originals: [[32, data], [34, data]], mediumFiles: [] }; // prettier-ignore
    writeRecord(grown, JSON.stringify(record));
    await expect(resetDamagedIso(await open(grown))).rejects.toThrow('two of its parts overlap at byte 34');
  });

  it('patches that touch do not overlap', () => {
    const patches = [{ offset: 4, data: small }, { offset: 0, data: new Uint8Array(4) }, { offset: 5, data: new Uint8Array() }]; // prettier-ignore
    expect(checkDisjoint({ patches }).patches).toEqual(patches);
  });
});

it('an embed area with extended attributes grows, and goes back', async () => {
  const at = await recordOf('images/ignition.img');
  const bytes = await changed((image) => {
    image[at + 1] = 1;
    image.writeUInt32LE(image.readUInt32LE(at + 2) - 1, at + 2);
  });
  const grown = await apply(
    bytes,
    await embedIgnition(await open(bytes), { config: large, existing: 'refuse' }),
  );
  expect((await readIgnition(await open(grown))) ?? small).toEqual(large);
  expect(await apply(grown, await resetIso(await open(grown)))).toEqual(bytes);
});

it.each([
  ['lacks the Joliet tree', 'descriptor'],
  ['has its area elsewhere in the Joliet tree', 'record'],
])('an image that %s grows in the other', async (_title, what) => {
  const record = (await (await openIsoTree(bytesAccess(original), 'joliet')).find('images/ignition.img'))
    ?.recordOffset;
  const bytes = await changed((image) => {
    if (what === 'descriptor') image[17 * SECTOR] = 7;
    else image.writeUInt32LE(3, (record ?? 0) + 2);
  });
  const grown = await apply(
    bytes,
    await embedIgnition(await open(bytes), { config: large, existing: 'refuse' }),
  );
  expect((await readIgnition(await open(grown))) ?? small).toEqual(large);
  expect(await apply(grown, await resetIso(await open(grown)))).toEqual(bytes);
});

describe('a record of what was appended is refused', () => {
  const size = original.length;
  it.each([
    ['that is no JSON', '{', 'not a JSON object'],
    ['that is no object', '7', 'not a JSON object'],
    ['of an image with another size', `{"originalSize":${2 ** 40},"originals":[]}`, 'invalid original size'],
    ['of an image with less than nothing', '{"originalSize":-1,"originals":[]}', 'invalid original size'],
    ['without a list', `{"originalSize":${size},"originals":{}}`, 'missing list'],
    ['without files', `{"originalSize":${size},"originals":[]}`, 'missing list'],
    [
      'with a file without size',
      `{"originalSize":${size},"originals":[],"mediumFiles":[["a"]]}`,
      'file without name or size',
    ],
    [
      'with files that the image lacks',
      `{"originalSize":${size},"originals":[],"mediumFiles":[["a",1e9],["b",1e9]]}`,
      'files that exceed the end of the image',
    ],
    [
      'with something else in it',
      `{"originalSize":${size},"originals":[7]}`,
      'entry without offset or bytes',
    ],
    ['without bytes', `{"originalSize":${size},"originals":[[0,7]]}`, 'entry without offset or bytes'],
    ['without offset', `{"originalSize":${size},"originals":[[-1,""]]}`, 'entry without offset or bytes'],
    [
      'with bytes beyond the end',
      `{"originalSize":${size},"originals":[[${size - 2},"AAAA"]]}`,
      'entry outside of the original image',
    ],
  ])('%s', async (_title, json, message) => {
    const grown = await apply(
      original,
      await embedIgnition(await open(original), { config: large, existing: 'refuse' }),
    );
    writeRecord(grown, json);
    await expect(readRecord(grown)).rejects.toThrow(`the record of appended data is damaged: ${message}`);
  });

  it.each([
    ['longer than any', 256 * 1024 + 1],
    ['longer than the image', 2 ** 32 - 1],
  ])('%s', async (_title, length) => {
    const grown = await apply(
      original,
      await embedIgnition(await open(original), { config: large, existing: 'refuse' }),
    );
    grown.writeUInt32LE(length, writeRecord(grown, '{}') - 16);
    await expect(readRecord(grown)).rejects.toThrow('invalid length');
  });

  it.each([
    ['without the area', (data: string) => [[0, data]]],
    ['with an area beyond the end', (data: string, at: number) => [[at, data]]],
  ])('%s, when the config is replaced', async (_title, originals) => {
    const grown = await apply(
      original,
      await embedIgnition(await open(original), { config: large, existing: 'refuse' }),
    );
    const at = (await recordOf('images/ignition.img')) + 1;
    const extent = Buffer.alloc(17);
    extent.writeUInt32LE(original.length / SECTOR, 1);
    extent.writeUInt32LE(SECTOR, 9);
    const record = {
      originalSize: original.length,
      originals: originals(extent.toString('base64'), at),
      mediumFiles: [],
    };
    writeRecord(grown, JSON.stringify(record));
    const run = open(grown).then(async (iso) => embedIgnition(iso, { config: small, existing: 'replace' }));
    await expect(run).rejects.toThrow('ISO image is incomplete');
  });
});

it('bears a directory that is its own child', async () => {
  const at = await recordOf('images');
  const root = (await openIsoTree(bytesAccess(original))).volume.root.sector;
  const bytes = await changed((image) => void image.writeUInt32LE(root, at + 2));
  const paths: string[] = [];
  for await (const { path } of isoEntries(await openIsoTree(bytesAccess(bytes)))) paths.push(path);
  expect(paths.length).toBeLessThan(200);
});

it.each(Array.from({ length: 33 }, (_, index) => index + 1))(
  'refuses a directory record of %i bytes',
  async (length) => {
    const at = await recordOf('images');
    await expect(open(await changed((image) => void (image[at] = length)))).rejects.toThrow(
      /incomplete directory record/,
    );
  },
);

describe.each(edits)('%s of an image with damaged directory records', (_name, edit) => {
  it('gives a result within its bounds that can be read, or an error for the user', async () => {
    const { tree } = await open(original);
    const places: number[] = [];
    for await (const { entry } of isoEntries(tree)) places.push(entry.recordOffset);
    const value = fc.oneof(fc.constantFrom(0, 1, 16, 19, 2047, 2048, 2 ** 31, 2 ** 32 - 1), fc.nat(60));
    const damage = fc.record({
      place: fc.constantFrom(...places),
      at: fc.constantFrom(0, 1, 2, 10, 25, 32, 33),
      value,
    });
    await fc.assert(
      fc.asyncProperty(fc.array(damage, { minLength: 1, maxLength: 3 }), async (list) => {
        const bytes = Buffer.from(original);
        for (const { place, at, value: number } of list) {
          if (at === 2 || at === 10) bytes.writeUInt32LE(number, place + at);
          else bytes[place + at] = number & 0xff;
        }
        const outcome = await open(bytes)
          .then(async (iso) => apply(bytes, await edit(iso)))
          .then(async (result) => (await open(result)).embeddedFiles())
          .catch((error: unknown) => error);
        const isAnswer = outcome instanceof Map || outcome instanceof CliError;
        expect(isAnswer ? [] : [outcome]).toEqual([]);
      }),
      { numRuns: 60 },
    );
  });
});

const readRecord = async (bytes: Uint8Array): ReturnType<typeof readAppendix> =>
  readAppendix(await openIsoTree(bytesAccess(bytes)));

/** Takes the place of the record in the last sectors of the volume; returns where they end. */
function writeRecord(image: Buffer, json: string): number {
  const end = image.readUInt32LE(16 * SECTOR + 80) * SECTOR;
  const start = end - Math.ceil((json.length + 32) / SECTOR) * SECTOR;
  image.fill(0, start, end).write(json, start);
  image.write('ironic-coreos/2\0', end - 32, 'latin1');
  image.writeUInt32LE(json.length, end - 16);
  image.writeUInt32LE(crc32(json), end - 12);
  return end;
}
