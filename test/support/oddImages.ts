/** Archives of container images with something odd in their documents. */

import { type ociEntries, sha256 } from './containerImages.ts';

export type Entries = Awaited<ReturnType<typeof ociEntries>>;
type Descriptor = Readonly<Record<string, unknown>>;

function indexIn(entries: Entries): { readonly manifests: readonly Descriptor[] } {
  const text = entries.find(([path]) => path === 'index.json')?.[1];
  const index: { readonly manifests: readonly Descriptor[] } = JSON.parse(
    typeof text === 'string' ? text : '{"manifests":[]}',
  );
  return index;
}

export function manifestsOf(entries: Entries): readonly Descriptor[] {
  return indexIn(entries).manifests;
}

export function withIndex(entries: Entries, edit: (index: ReturnType<typeof indexIn>) => unknown): Entries {
  const index = JSON.stringify(edit(indexIn(entries)));
  return entries.map(([path, content]) => [path, path === 'index.json' ? index : content]);
}

/** An archive whose index is one more document below a new one. */
export function below(entries: Entries): Entries {
  const mediaType = 'application/vnd.oci.image.index.v1+json';
  const inner = JSON.stringify({ mediaType, ...indexIn(entries) });
  const digest = `sha256:${sha256(inner)}`;
  const manifests = [{ mediaType, digest, size: inner.length }];
  return [[`blobs/sha256/${sha256(inner)}`, inner], ...withIndex(entries, () => ({ manifests }))];
}

const configWith = (change: object | undefined): string =>
  JSON.stringify({ architecture: 'amd64', os: 'linux', rootfs: { diff_ids: [] }, ...change });

const describeBlob = (mediaType: string, text: string): object => ({
  mediaType: `application/vnd.oci.image.${mediaType}.v1+json`,
  digest: `sha256:${sha256(text)}`,
  size: text.length,
});

/** An image without layers, in an oci-archive, with other members in its documents. */
export async function ociWith(change: {
  readonly config?: object;
  readonly descriptor?: object;
  readonly manifest?: object;
}): Promise<Entries> {
  const config = configWith(change.config);
  const manifest = JSON.stringify({
    mediaType: 'application/vnd.oci.image.manifest.v1+json',
    config: { ...describeBlob('config', config), ...change.descriptor },
    layers: [],
    ...change.manifest,
  });
  return [
    ...[config, manifest].map((text): [string, string] => [`blobs/sha256/${sha256(text)}`, text]),
    ['index.json', JSON.stringify({ manifests: [describeBlob('manifest', manifest)] })],
    ['oci-layout', '{"imageLayoutVersion":"1.0.0"}'],
  ];
}

/** The same in a docker-archive. */
export async function dockerWith(change: {
  readonly config?: object;
  readonly manifest?: object;
  readonly configPath?: (id: string) => string;
}): Promise<Entries> {
  const { configPath = (id) => `${id}.json` } = change;
  const config = configWith(change.config);
  const path = configPath(sha256(config));
  const manifest = { Config: path, RepoTags: null, Layers: [], ...change.manifest };
  return [
    [path, config],
    ['manifest.json', JSON.stringify([manifest])],
  ];
}
