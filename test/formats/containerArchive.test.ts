/** Archives of container images: both forms, compressed and not, and what is wrong with broken ones. */

import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FormatError } from '../../src/errors.ts';
import { type ContainerArchive, readContainerArchive } from '../../src/formats/containerArchive.ts';
import {
  dockerArchive,
  dockerEntries,
  layerTar,
  ociArchive,
  ociEntries,
  sha256,
  tarOf,
} from '../support/containerImages.ts';
import { have, missingNote } from '../support/programs.ts';

async function read(bytes: Uint8Array, pieceSize = 4096): Promise<ContainerArchive> {
  let offset = 0;
  const next = async () => {
    const piece = bytes.subarray(offset, (offset += pieceSize));
    return piece.length === 0 ? undefined : piece;
  };
  return readContainerArchive({ next });
}

const name = 'quay.io/metal3-io/ironic-agent:latest';
const image = { names: [name] };

const packZstd = (layer: Buffer): Buffer => spawnSync('zstd', ['-c'], { input: layer }).stdout;
const packInTwo = (layer: Buffer): Buffer =>
  Buffer.concat([gzipSync(layer.subarray(0, 100)), gzipSync(layer.subarray(100))]);

describe('readContainerArchive', () => {
  it.each([
    ['docker-archive', () => dockerArchive(image)],
    ['oci-archive', () => ociArchive(image)],
  ])('tells what is in an %s, in pieces of any size', async (form, make) => {
    const bytes = await make();
    const archive = await read(bytes);
    const [found] = archive.images;
    expect(archive).toMatchObject({ form, size: bytes.length, unpackedSize: bytes.length });
    expect(archive.sha512).toBe(createHash('sha512').update(bytes).digest('hex'));
    expect(found).toMatchObject({ names: [name], architecture: 'amd64', os: 'linux' });
    const layers = await Promise.all(['one', 'two'].map(layerTar));
    expect(found?.layers.map(({ diffId, unpackedSize }) => [diffId, unpackedSize])).toEqual(
      layers.map((layer) => [sha256(layer), layer.length]),
    );
    for (const pieceSize of [1, 3, 511, 100_000]) expect(await read(bytes, pieceSize)).toEqual(archive);
  });

  it('gives both forms of an image the same id', async () => {
    const [docker, oci] = await Promise.all([
      read(await dockerArchive(image)),
      read(await ociArchive(image)),
    ]);
    expect(docker.images[0]?.id).toBe(oci.images[0]?.id);
  });

  it('unpacks an archive that is compressed as a whole, and counts both sizes', async () => {
    const plain = await dockerArchive(image);
    const packed = gzipSync(plain);
    const archive = await read(Buffer.concat([packed, Buffer.alloc(100)]));
    expect(archive).toMatchObject({ size: packed.length + 100, unpackedSize: plain.length });
    expect(archive.sha512).toBe(createHash('sha512').update(packed).update(Buffer.alloc(100)).digest('hex'));
  });

  it.skipIf(!have('zstd'))(`unpacks layers of zstd${missingNote('zstd')}`, async () => {
    expect((await read(await ociArchive({ packLayer: packZstd }))).images).toHaveLength(1);
  });

  it('unpacks layers of many gzip members, as eStargz has them', async () => {
    expect((await read(await ociArchive({ packLayer: packInTwo }))).images).toHaveLength(1);
  });

  it('follows links to layers, as docker save used to make them', async () => {
    const entries = await dockerEntries(image);
    const linked = entries.flatMap(([path, content]) =>
      path.endsWith('.tar')
        ? ([
            [`x/${path}`, content],
            [path, { link: `x/${path}` }],
          ] as const)
        : [[path, content] as const],
    );
    expect((await read(await tarOf(linked))).images).toHaveLength(1);
  });

  it('lists the images of an index, and leaves out those that are not there', async () => {
    const entries = await ociEntries([{}, { architecture: 'arm64', layers: ['three'] }], {
      nested: true,
      name,
    });
    const all = await read(await tarOf(entries));
    expect(all.images.map(({ architecture, names }) => [architecture, names])).toEqual([
      ['amd64', [name]],
      ['arm64', [name]],
    ]);
    const arm = all.images[1]?.id ?? '';
    const manifest = entries.find(([, text]) => {
      return typeof text === 'string' && text.includes(arm) && text.includes('"layers"');
    });
    const part = await read(await tarOf(entries.filter((entry) => entry !== manifest)));
    expect(part.images.map(({ architecture }) => architecture)).toEqual(['amd64']);
  });

  it.each(['latest', 'not a name!', 'quay.io/no/tag'])('takes %j for no name', async (partial) =>
    expect((await read(await ociArchive({ names: [partial] }))).images[0]?.names).toEqual([]),
  );
});

const change = async (find: string, replace: string): Promise<Buffer> =>
  tarOf(
    (await ociEntries([image])).map(([path, content]) => [
      path,
      typeof content === 'string' ? content.replaceAll(find, replace) : content,
    ]),
  );

const without = async (pattern: RegExp): Promise<Buffer> =>
  tarOf((await dockerEntries(image)).filter(([path]) => !pattern.test(path)));

describe('a broken archive', () => {
  it.each([
    [
      'of something else',
      () => tarOf([['etc/passwd', 'root']]),
      'neither index.json with oci-layout nor manifest.json',
    ],
    ['without a layer', () => without(/\.tar$/), 'lacks'],
    ['without its config', () => without(/[0-9a-f]\.json$/), 'lacks'],
    ['with another config', () => change('amd64', 'arm64'), 'does not match its digest'],
    ['of another version', () => change('1.0.0', '2.0.0'), 'unknown version'],
    ['with a digest it does not know', () => change('sha256:', 'md5:'), 'without a digest of sha256'],
    [
      'with a digest that leads elsewhere',
      () => change('"digest":"sha256:', '"digest":"sha256:../'),
      'without a digest of sha256',
    ],
    ['without images', () => tarOf([['manifest.json', '[]']]), 'has no container image'],
    [
      'with a manifest that is no JSON',
      () => tarOf([['manifest.json', '[']]),
      'has no JSON in manifest.json',
    ],
    [
      'with circular links',
      () =>
        tarOf([
          ['manifest.json', { link: 'a' }],
          ['a', { link: 'manifest.json' }],
        ]),
      'neither',
    ],
    [
      'whose layers lie',
      () => dockerArchive({ packLayer: () => Buffer.from('other') }),
      'does not match its digest: layer 1',
    ],
    ['that is cut off', async () => (await dockerArchive(image)).subarray(0, 3000), 'cut off'],
    ['that is empty', async () => Buffer.alloc(0), 'neither'],
  ])('%s is refused', async (_title, make, message) => {
    const bytes = await make();
    await expect(read(bytes)).rejects.toThrow(message);
    await expect(read(bytes)).rejects.toBeInstanceOf(FormatError);
  });

  it.each([
    ['docker-archive', () => dockerArchive(image)],
    ['oci-archive', () => ociArchive(image)],
  ])('is never taken for a good one where a bit of a blob of an %s is wrong', async (_form, make) => {
    const bytes = await make();
    const good = await read(bytes);
    const flip = fc.tuple(fc.nat(bytes.length - 1), fc.nat(7));
    await fc.assert(
      fc.asyncProperty(flip, async ([at, bit]) => {
        const damaged = Buffer.from(bytes);
        damaged[at] = (damaged[at] ?? 0) ^ (1 << bit);
        try {
          const { images } = await read(damaged);
          // Padding and header fields that do not count may change, what is loaded may not.
          expect(images.map(({ id, layers }) => [id, layers])).toEqual(
            good.images.map(({ id, layers }) => [id, layers]),
          );
        } catch (error) {
          if (!(error instanceof FormatError)) throw error;
        }
      }),
      { numRuns: 150 },
    );
  });
});
