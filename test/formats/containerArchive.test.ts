/** Archives of container images: both forms, compressed and not, and what is wrong with broken ones. */

import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FormatError } from '../../src/core/errors.ts';
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
import { below, dockerWith, type Entries, manifestsOf, ociWith, withIndex } from '../support/oddImages.ts';
import { have, oracleNote } from '../support/programs.ts';

async function read(bytes: Uint8Array, pieceSize = 4096): Promise<ContainerArchive> {
  let offset = 0;
  const next = async () => {
    const piece = bytes.subarray(offset, (offset += pieceSize));
    return piece.length === 0 ? undefined : piece;
  };
  return readContainerArchive({ next });
}

const imageName = 'quay.io/metal3-io/ironic-agent:latest';
const image = { names: [imageName] };

const packZstd = (layer: Buffer): Buffer => spawnSync('zstd', ['-c'], { input: layer }).stdout;
const packInTwo = (layer: Buffer): Buffer =>
  Buffer.concat([gzipSync(layer.subarray(0, 100)), gzipSync(layer.subarray(100))]);

/** Files of 68 MiB together. */
const filler = (start: string): [string, string][] =>
  Array.from({ length: 17 }, (_, index) => [`${index}`, start.padEnd(4 * 1024 * 1024)]);

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
    expect(found).toMatchObject({ names: [imageName], architecture: 'amd64', os: 'linux' });
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

  it.skipIf(!have('zstd'))(`unpacks layers of zstd${oracleNote('zstd')}`, async () => {
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
      name: imageName,
    });
    const all = await read(await tarOf(entries));
    expect(all.images.map(({ architecture, names }) => [architecture, names])).toEqual([
      ['amd64', [imageName]],
      ['arm64', [imageName]],
    ]);
    const arm = all.images[1]?.id ?? '';
    const manifest = entries.find(([, text]) => {
      return typeof text === 'string' && text.includes(arm) && text.includes('"layers"');
    });
    const part = await read(await tarOf(entries.filter((entry) => entry !== manifest)));
    expect(part.images.map(({ architecture }) => architecture)).toEqual(['amd64']);
  });

  it('counts what follows compressed data to the archive and to the file it is in', async () => {
    const behind = Buffer.alloc(20_000);
    const padded = (layer: Buffer): Buffer => Buffer.concat([gzipSync(layer), behind]);
    const plain = await ociArchive({ packLayer: padded });
    const packed = Buffer.concat([gzipSync(plain), behind]);
    const archive = await read(packed);
    expect(archive.sha512).toBe(createHash('sha512').update(packed).digest('hex'));
    expect(archive.images).toHaveLength(1);
  });

  it.each([
    ['begin with a dot', (path: string) => `./${path}`],
    ['begin with a slash', (path: string) => `//${path}`],
    ['go up again', (path: string) => `x/../${path}`],
    ['go up too far', (path: string) => `../${path}`],
  ])('takes paths as one that %s', async (_title, rename) => {
    const entries = await ociEntries([image]);
    const archive = await tarOf(entries.map(([path, content]) => [rename(path), content]));
    expect((await read(archive)).images).toHaveLength(1);
  });

  it.each([
    ['beside it', 'manifest.json', 'real.json', 'real.json'],
    ['from its folder', 'manifest.json', 'x/../y/real.json', 'y/real.json'],
    ['from the root', 'manifest.json', '/y/real.json', 'y/real.json'],
  ])('follows a symbolic link to what is %s', async (_title, path, link, place) => {
    const entries = (await dockerEntries(image)).filter(([name]) => name !== path);
    const manifest = (await dockerEntries(image)).at(-1)?.[1] ?? '';
    expect((await read(await tarOf([...entries, [place, manifest], [path, { link }]]))).images).toHaveLength(
      1,
    );
  });

  it.each<[string, (name: string) => [string, { link: string; type?: 'link' }]]>([
    [
      'a symbolic link from the folder it is in',
      (file) => [`blobs/sha256/real-${file}`, { link: `real-${file}` }],
    ],
    [
      'a symbolic link from the root',
      (file) => [`blobs/sha256/real-${file}`, { link: `/blobs/sha256/real-${file}` }],
    ],
    ['another name from the root', (file) => [`real-${file}`, { link: `real-${file}`, type: 'link' }]],
  ])('follows %s', async (_title, place) => {
    const entries = (await ociEntries([image])).flatMap(([path, content]): Entries => {
      const file = /^blobs\/sha256\/(.*)$/.exec(path)?.[1];
      if (file === undefined) return [[path, content]];
      const [real, link] = place(file);
      return [
        [real, content],
        [path, link],
      ];
    });
    expect((await read(await tarOf(entries))).images).toHaveLength(1);
  });

  it('follows a symbolic link out of the folder it is in', async () => {
    const entries = (await ociEntries([image])).map(([path, content]): [string, typeof content] => [
      path.replace('blobs/', 'real/'),
      content,
    ]);
    const links = entries
      .filter(([path]) => path.startsWith('real/'))
      .map(([path]) => [path.replace('real/', 'blobs/'), { link: `../../${path}` }] as const);
    expect((await read(await tarOf([...entries, ...links]))).images).toHaveLength(1);
  });

  it('is a docker-archive where the layout of an oci-archive is not whole', async () => {
    const entries = [...(await dockerEntries(image)), ['index.json', '{}'] as const];
    expect((await read(await tarOf(entries))).form).toBe('docker-archive');
  });

  it.each([
    ['has another kind of config', { mediaType: 'application/vnd.example.config+json' }, {}],
    ['says that its architecture is not known', {}, { architecture: 'unknown' }],
  ])('leaves out a manifest that %s', async (_title, descriptor, config) => {
    const other = await ociWith({ descriptor, config });
    const entries = [...other, ...(await ociEntries([image]))];
    const index = { manifests: [...manifestsOf(other), ...manifestsOf(await ociEntries([image]))] };
    const archive = await tarOf([
      ...entries.filter(([path]) => path !== 'index.json'),
      ['index.json', JSON.stringify(index)],
    ]);
    expect((await read(archive)).images.map(({ names }) => names)).toEqual([[imageName]]);
  });

  it('takes the kind of a manifest from what refers to it', async () => {
    expect(
      (await read(await tarOf(await ociWith({ manifest: { mediaType: undefined } })))).images,
    ).toHaveLength(1);
  });

  it('leaves out what is of an unknown kind', async () => {
    const archive = await tarOf(await ociWith({ manifest: { mediaType: 'application/vnd.example' } }));
    await expect(read(archive)).rejects.toThrow('contains no container image');
  });

  it('finds an image below several indexes', async () => {
    const entries = below(below(await ociEntries([image])));
    expect((await read(await tarOf(entries))).images).toHaveLength(1);
  });

  it('joins the names of an image that is listed twice', async () => {
    const second = 'quay.io/example/other:1';
    const [one, two] = [await ociEntries([image]), await ociEntries([{ names: [second] }])];
    const index = JSON.stringify({
      manifests: [...manifestsOf(one), ...manifestsOf(two), ...manifestsOf(one)],
    });
    const archive = await tarOf([...one.filter(([path]) => path !== 'index.json'), ['index.json', index]]);
    expect((await read(archive)).images.map(({ names }) => names)).toEqual([[imageName, second]]);
  });

  it.each([
    ['by its digest', (id: string) => `${id}.json`],
    ['by its digest in a folder', (id: string) => `blobs/sha256/${id}`],
    ['by another name', () => 'config.json'],
  ])('finds a config %s', async (_title, pathOf) => {
    const archive = await tarOf(await dockerWith({ configPath: pathOf }));
    expect((await read(archive)).images).toHaveLength(1);
  });

  it('takes names only that are whole', async () => {
    const archive = await tarOf(await dockerWith({ manifest: { RepoTags: [7, 'latest', imageName] } }));
    expect((await read(archive)).images[0]?.names).toEqual([imageName]);
  });

  it('takes a name from containerd', async () => {
    const entries = withIndex(await ociEntries([image]), ({ manifests }) => ({
      manifests: manifests.map((descriptor) => ({
        ...descriptor,
        annotations: { 'io.containerd.image.name': imageName },
      })),
    }));
    expect((await read(await tarOf(entries))).images[0]?.names).toEqual([imageName]);
  });

  it('passes over files that are no documents', async () => {
    const entries = [...filler('x'), ...(await dockerEntries(image))];
    expect((await read(await tarOf(entries), 1 << 20)).images).toHaveLength(1);
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

/** One index below the other, where each lists the next one this often. */
const indexes = async (often: number, deep: number): Promise<Buffer> => {
  let entries = await ociEntries([image]);
  for (let level = 0; level < deep; level++) {
    entries = below(
      withIndex(entries, ({ manifests }) => ({
        manifests: Array.from({ length: often }, () => manifests[0]),
      })),
    );
  }
  return tarOf(entries);
};

const without = async (pattern: RegExp): Promise<Buffer> =>
  tarOf((await dockerEntries(image)).filter(([path]) => !pattern.test(path)));

describe('a broken archive', () => {
  it.each([
    [
      'of something else',
      () => tarOf([['etc/passwd', 'root']]),
      'neither oci-layout and index.json nor manifest.json',
    ],
    ['without a layer', () => without(/\.tar$/), 'does not contain'],
    ['without its config', () => without(/[0-9a-f]\.json$/), 'does not contain'],
    ['with another config', () => change('amd64', 'arm64'), 'does not match its digest'],
    ['of another version', () => change('1.0.0', '2.0.0'), 'unsupported OCI layout version'],
    ['with a digest it does not know', () => change('sha256:', 'md5:'), 'without a sha256 digest'],
    [
      'with a digest that leads elsewhere',
      () => change('"digest":"sha256:', '"digest":"sha256:../'),
      'without a sha256 digest',
    ],
    ['without images', () => tarOf([['manifest.json', '[]']]), 'contains no container image'],
    [
      'with a manifest that is no JSON',
      () => tarOf([['manifest.json', '[']]),
      'contains no valid JSON in manifest.json',
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
    [
      'whose manifest is no list',
      () => tarOf([['manifest.json', '{}']]),
      'contains a manifest.json that is not a list',
    ],
    [
      'without a list of manifests',
      async () => tarOf(withIndex(await ociEntries([image]), () => ({}))),
      'contains a JSON document without the list "manifests"',
    ],
    [
      'with another size',
      async () =>
        tarOf(
          withIndex(await ociEntries([image]), ({ manifests }) => ({
            manifests: manifests.map((descriptor) => ({ ...descriptor, size: 7 })),
          })),
        ),
      /contains \d+ bytes for sha256:[0-9a-f]{64}, but the descriptor has another size/,
    ],
    ['whose indexes multiply', () => indexes(10, 10), 'lists more than 1000 manifests'],
    [
      'with many documents',
      async () => tarOf([...filler('{'), ...(await dockerEntries(image))]),
      'contains too many files for a container image',
    ],
    [
      'with many empty files',
      async () => Buffer.alloc(140_000 * 512, (await tarOf([['a', '']])).subarray(0, 512)),
      'contains too many files for a container image',
    ],
    [
      'with something before a digest',
      async () =>
        tarOf(
          withIndex(await ociEntries([image]), ({ manifests }) => ({
            manifests: manifests.map((descriptor) => ({
              ...descriptor,
              digest: `x${String(descriptor['digest'])}`,
            })),
          })),
        ),
      'without a sha256 digest',
    ],
    [
      'with a digest that goes on',
      async () =>
        tarOf(
          withIndex(await ociEntries([image]), ({ manifests }) => ({
            manifests: manifests.map((descriptor) => ({
              ...descriptor,
              digest: `${String(descriptor['digest'])}/..`,
            })),
          })),
        ),
      'without a sha256 digest',
    ],
    [
      'without a manifest that it lists',
      async () => {
        const entries = await ociEntries([image]);
        const digest = String(manifestsOf(entries)[0]?.['digest']).replace('sha256:', '');
        return tarOf(entries.filter(([path]) => !path.endsWith(digest)));
      },
      'does not contain "blobs/sha256/',
    ],
    [
      'whose version is no text',
      async () =>
        tarOf(
          (await ociEntries([image])).map(([path, content]) => [
            path,
            path === 'oci-layout' ? '{"imageLayoutVersion":1}' : content,
          ]),
        ),
      'uses an unsupported OCI layout version: ""',
    ],
    [
      'with a layer too few',
      async () => tarOf(await dockerWith({ config: { rootfs: { diff_ids: ['sha256:00'] } } })),
      'contains 0 layers, but the image config lists 1',
    ],
    ...['architecture', 'os'].map((key): [string, () => Promise<Buffer>, string] => [
      `without its ${key}`,
      async () => tarOf(await dockerWith({ config: { [key]: undefined } })),
      'contains an image without an architecture or operating system',
    ]),
    ['with an image that is nothing', () => tarOf([['manifest.json', '[null]']]), 'does not contain ""'],
    [
      'with a layer that is no path',
      async () => tarOf(await dockerWith({ manifest: { Layers: [7] } })),
      'does not contain ""',
    ],
    [
      'without the path of its config',
      async () => tarOf(await dockerWith({ manifest: { Config: 7 } })),
      'does not contain ""',
    ],
    ...['.json', ''].map((end): [string, () => Promise<Buffer>, string] => [
      `with a config of another digest${end}`,
      async () => tarOf(await dockerWith({ configPath: () => `x/${'0'.repeat(64)}${end}` })),
      'contains content that does not match its digest: x/000',
    ]),
    [
      'with a large document',
      () => tarOf([['manifest.json', `[${' '.repeat(4 * 1024 * 1024 - 1)}]`]]),
      'contains no valid JSON in manifest.json, or more than 4 MiB',
    ],
    [
      'with the largest document, and nothing in it',
      () => tarOf([['manifest.json', `[${' '.repeat(4 * 1024 * 1024 - 2)}]`]]),
      'contains no container image',
    ],
    [
      'with a document that is packed',
      async () => tarOf([['manifest.json', gzipSync('[]')]]),
      'contains no valid JSON in manifest.json',
    ],
    ['that is cut off', async () => (await dockerArchive(image)).subarray(0, 3000), 'truncated'],
    ['that is empty', async () => Buffer.alloc(0), 'neither'],
  ])('%s is refused', async (_title, make, message) => {
    const bytes = await make();
    await expect(read(bytes)).rejects.toThrow(message);
    await expect(read(bytes)).rejects.toBeInstanceOf(FormatError);
  });

  it('has little of a long path or digest in its error', async () => {
    const long = 'x'.repeat(10_000);
    const path = await tarOf(await dockerWith({ manifest: { Config: long } }));
    await expect(read(path)).rejects.toThrow(/^.{100,200}$/);
    const digest = await tarOf(
      withIndex(await ociEntries([image]), () => ({ manifests: [{ digest: long }] })),
    );
    await expect(read(digest)).rejects.toThrow(/^.{100,200}$/);
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
