/** Archives of small container images, as podman, docker and skopeo write them. */

import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { buffer } from 'node:stream/consumers';
import { pack } from 'tar-stream';

export interface ImageOptions {
  readonly names?: readonly string[];
  readonly architecture?: string;
  readonly os?: string;
  /** Contents of the layers, before they are packed. */
  readonly layers?: readonly string[];
  readonly packLayer?: (layer: Buffer) => Buffer;
}

/** A file, or a link: a symbolic one, or another name of a file. */
type Entry = readonly [
  path: string,
  content: Buffer | string | { readonly link: string; readonly type?: 'link' | 'symlink' },
];

export const sha256 = (data: Buffer | string): string => createHash('sha256').update(data).digest('hex');

export async function tarOf(entries: readonly Entry[]): Promise<Buffer> {
  const archive = pack();
  const mtime = new Date(0);
  for (const [name, content] of entries) {
    if (typeof content === 'string' || Buffer.isBuffer(content)) archive.entry({ name, mtime }, content);
    else archive.entry({ name, mtime, type: content.type ?? 'symlink', linkname: content.link });
  }
  archive.finalize();
  return buffer(archive);
}

export async function layerTar(text: string): Promise<Buffer> {
  return tarOf([['etc/note', text]]);
}

interface Parts {
  readonly config: string;
  /** As they stand in the archive. */
  readonly layers: readonly Buffer[];
}

async function partsOf(options: ImageOptions): Promise<Parts> {
  const { architecture = 'amd64', layers = ['one', 'two'], os = 'linux', packLayer = (it) => it } = options;
  const tars = await Promise.all(layers.map(layerTar));
  const diffIds = tars.map((tar) => `sha256:${sha256(tar)}`);
  const config = JSON.stringify({ architecture, os, rootfs: { type: 'layers', diff_ids: diffIds } });
  return { config, layers: tars.map(packLayer) };
}

/** As `podman save` writes it by default. */
export async function dockerEntries(...images: readonly ImageOptions[]): Promise<Entry[]> {
  const entries = new Map<string, Buffer | string>();
  const manifests = [];
  for (const image of images) {
    const { config, layers } = await partsOf(image);
    for (const layer of layers) entries.set(`${sha256(layer)}.tar`, layer);
    entries.set(`${sha256(config)}.json`, config);
    manifests.push({
      Config: `${sha256(config)}.json`,
      RepoTags: image.names ?? null,
      Layers: layers.map((layer) => `${sha256(layer)}.tar`),
    });
  }
  return [...entries, ['manifest.json', JSON.stringify(manifests)]];
}

export async function dockerArchive(...images: readonly ImageOptions[]): Promise<Buffer> {
  return tarOf(await dockerEntries(...images));
}

const named = (names: readonly string[] | undefined): object =>
  names === undefined ? {} : { annotations: { 'org.opencontainers.image.ref.name': names[0] } };

const oci = 'application/vnd.oci.image';

/** As `podman save --format oci-archive` and skopeo write it; with `nested`, under one index as `skopeo copy --all` does. */
export async function ociEntries(
  images: readonly ImageOptions[],
  { nested = false, name }: { readonly nested?: boolean; readonly name?: string } = {},
): Promise<Entry[]> {
  const blobs = new Map<string, Buffer | string>();
  const put = (mediaType: string, blob: Buffer | string) => {
    blobs.set(`blobs/sha256/${sha256(blob)}`, blob);
    return {
      mediaType: `${oci}.${mediaType}`,
      digest: `sha256:${sha256(blob)}`,
      size: Buffer.byteLength(blob),
    };
  };
  const manifests = [];
  for (const image of images) {
    const { config, layers } = await partsOf({ packLayer: (layer) => gzipSync(layer), ...image });
    const mediaType = `${oci}.manifest.v1+json`;
    const manifest = {
      schemaVersion: 2,
      mediaType,
      config: put('config.v1+json', config),
      layers: layers.map((layer) => put('layer.v1.tar+gzip', layer)),
    };
    manifests.push({ ...put('manifest.v1+json', JSON.stringify(manifest)), ...named(image.names) });
  }
  const below = nested
    ? [
        put(
          'index.v1+json',
          JSON.stringify({ schemaVersion: 2, mediaType: `${oci}.index.v1+json`, manifests }),
        ),
      ]
    : manifests;
  const index = below.map((descriptor) => ({
    ...descriptor,
    ...named(name === undefined ? undefined : [name]),
  }));
  return [
    ...blobs,
    ['index.json', JSON.stringify({ schemaVersion: 2, manifests: nested ? index : below })],
    ['oci-layout', '{"imageLayoutVersion":"1.0.0"}'],
  ];
}

export async function ociArchive(...images: readonly ImageOptions[]): Promise<Buffer> {
  return tarOf(await ociEntries(images));
}
