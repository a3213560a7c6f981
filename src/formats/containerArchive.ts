/**
 * Archives of container images: the OCI image layout in a tar archive (`oci-archive`, image-spec 1.1 "Image Layout") and the
 * output of `docker save` and `podman save` (`docker-archive`), plain or compressed. One pass reads the archive and keeps only
 * the small JSON documents in memory. It verifies all digests: manifests, configs, layers, and decompressed layers.
 * Unsupported: encrypted layers, signatures, digests other than sha256, and external layers.
 */

import { quoteText } from '../core/foreignText.ts';
import { createHash } from 'node:crypto';
import { FormatError } from '../core/errors.ts';
import { ByteReader, type ByteSource, sourceOf } from './byteReader.ts';
import { compressionAt, unpackAll } from './compression.ts';
import { parseImageReference } from './imageReference.ts';
import { asList, parseIfJson, stringOf, valueAt } from './mapping.ts';
import { formatSizeInWords } from './messageText.ts';
import { readTarMembers, type TarMember } from './tar.ts';

export interface ContainerArchive {
  readonly form: 'oci-archive' | 'docker-archive';
  readonly images: readonly ArchivedImage[];
  /** Bytes of the archive as it is. */
  readonly size: number;
  /** Of the archive as it is, in hex. */
  readonly sha512: string;
  /** Bytes of the archive without the compression around it. */
  readonly unpackedSize: number;
}

export interface ArchivedImage {
  /** The digest of its config in hex, by which podman and docker know it. */
  readonly id: string;
  /** References with a tag under which it is loaded; none where the archive names it only in part. */
  readonly names: readonly string[];
  /** As Go has it: `amd64`, `arm64`. */
  readonly architecture: string;
  readonly os: string;
  readonly layers: readonly ArchivedLayer[];
}

interface ArchivedLayer {
  /** sha256 of what it unpacks to, in hex. */
  readonly diffId: string;
  /** Bytes in the archive. */
  readonly size: number;
  /** Bytes without compression, about what it takes on the host. */
  readonly unpackedSize: number;
}

/** The limit that containers/image has for a manifest. */
const MAX_DOCUMENT = 4 * 1024 * 1024;
/** Limit of all layers without compression in bytes, and of the archive without that around it: images have to fit into a host. */
const MAX_UNPACKED = 16 * 1024 ** 3;
/** Limit of what is kept in memory of all members, in bytes: paths, digests, documents. */
const MAX_INDEX = 64 * 1024 * 1024;
/** About the bytes that a member without a document takes, beside its path. */
const INDEX_ENTRY = 500;
/** Limit of the descriptors in all indexes, which may list each other again and again. Real archives have some dozens. */
const MAX_LISTED = 1000;
const MAX_LINKS = 16;

/** @throws FormatError with a message that goes on from the name of the archive */
export async function readContainerArchive(source: ByteSource): Promise<ContainerArchive> {
  const hash = createHash('sha512');
  const outer = watched(source, (piece) => hash.update(piece));
  const inner = watched(
    sourceOf(unpackAll(new ByteReader('compressed', outer.source), MAX_UNPACKED)),
    () => undefined,
  );
  const reader = new ByteReader('tar', inner.source);
  const files = new Map<string, IndexedFile>();
  const links = new Map<string, string>();
  let room = MAX_UNPACKED;
  let indexRoom = MAX_INDEX;
  for await (const member of readTarMembers(reader)) {
    const path = plainPath(member.path);
    if (member.type === 'file') {
      const file = await indexFile(member, room);
      files.set(path, file);
      room -= file.unpackedSize;
      indexRoom -= file.text?.length ?? 0;
    } else links.set(path, linkTarget(path, member));
    indexRoom -= INDEX_ENTRY + member.path.length + (member.type === 'link' ? member.target.length : 0);
    if (indexRoom < 0)
      throw new FormatError('contains too many files for a container image', { hint: HOW_TO_MAKE });
  }
  for (const path of links.keys()) {
    const file = files.get(followLinks(path, links));
    if (file !== undefined) files.set(path, file);
  }
  await drain(outer.source);
  const form = files.has('index.json') && files.has('oci-layout') ? 'oci-archive' : 'docker-archive';
  const images = form === 'oci-archive' ? readOciImages(files) : readDockerImages(files);
  if (images.length === 0) throw new FormatError('contains no container image', { hint: HOW_TO_MAKE });
  return { form, images, size: outer.size(), sha512: hash.digest('hex'), unpackedSize: inner.size() };
}

const HOW_TO_MAKE = 'create one with: podman save --format oci-archive -o FILE IMAGE';

/** The same bytes, counted and shown to `see` as they pass. */
function watched(
  source: ByteSource,
  see: (piece: Uint8Array) => unknown,
): { readonly source: ByteSource; readonly size: () => number } {
  let size = 0;
  const next = async (): Promise<Uint8Array | undefined> => {
    const piece = await source.next();
    if (piece === undefined) return undefined;
    size += piece.length;
    see(piece);
    return piece;
  };
  return { source: { next }, size: () => size };
}

async function drain(source: ByteSource): Promise<void> {
  while ((await source.next()) !== undefined);
}

/** What is known of a file in the archive once it has passed. */
interface IndexedFile {
  readonly size: number;
  /** In hex. */
  readonly sha256: string;
  readonly unpackedSize: number;
  /** sha256 of what it unpacks to; the same as above for a file without compression. */
  readonly diffId: string;
  /** Of files that may be JSON. */
  readonly text: string | undefined;
}

/** By path; links have been followed. */
type Files = ReadonlyMap<string, IndexedFile>;

async function indexFile(
  { content, size }: Extract<TarMember, { type: 'file' }>,
  maxUnpacked: number,
): Promise<IndexedFile> {
  const hash = createHash('sha256');
  const document: Buffer[] = [];
  const { source } = watched(sourceOf(content), (piece) => {
    hash.update(piece);
    if (size <= MAX_DOCUMENT) document.push(Buffer.from(piece));
  });
  const reader = new ByteReader('layer', source);
  const isPacked = (await compressionAt(reader)) !== 'none';
  const unpacked = createHash('sha256');
  let unpackedSize = 0;
  for await (const piece of unpackAll(reader, maxUnpacked)) {
    unpackedSize += piece.length;
    if (isPacked) unpacked.update(piece);
  }
  await drain(source);
  const sha256 = hash.digest('hex');
  const text = Buffer.concat(document).toString('utf8');
  return {
    size,
    sha256,
    unpackedSize,
    diffId: isPacked ? unpacked.digest('hex') : sha256,
    text: /^\s*[[{]/.test(text) ? text : undefined,
  };
}

/** Below the root of the archive, without `.` and `..`, which name nothing outside of it. */
function plainPath(path: string): string {
  const parts: string[] = [];
  for (const part of path.split('/')) {
    if (part === '..') parts.pop();
    else if (part !== '' && part !== '.') parts.push(part);
  }
  return parts.join('/');
}

/** A symbolic link starts in its folder, a hard link in the root. */
function linkTarget(path: string, link: Extract<TarMember, { type: 'link' }>): string {
  const folder = path.slice(0, path.lastIndexOf('/') + 1);
  return plainPath(link.isSymbolic && !link.target.startsWith('/') ? `${folder}${link.target}` : link.target);
}

function followLinks(path: string, links: ReadonlyMap<string, string>): string {
  let target = path;
  for (let step = 0; step < MAX_LINKS; step++) target = links.get(target) ?? target;
  return target;
}

const MEDIA: Readonly<Record<'indexes' | 'manifests' | 'configs', readonly string[]>> = {
  indexes: [
    'application/vnd.oci.image.index.v1+json',
    'application/vnd.docker.distribution.manifest.list.v2+json',
  ],
  manifests: [
    'application/vnd.oci.image.manifest.v1+json',
    'application/vnd.docker.distribution.manifest.v2+json',
  ],
  configs: ['application/vnd.oci.image.config.v1+json', 'application/vnd.docker.container.image.v1+json'],
};

const NAME_ANNOTATIONS = ['io.containerd.image.name', 'org.opencontainers.image.ref.name'];

function readOciImages(files: Files): ArchivedImage[] {
  const layout = textIn(readDocument(files, 'oci-layout'), 'imageLayoutVersion') ?? '';
  if (!layout.startsWith('1.'))
    throw new FormatError(`uses an unsupported OCI layout version: ${quoteText(layout)}`);
  const found = new Map<string, ArchivedImage>();
  for (const image of ociImages(files, listIn(readDocument(files, 'index.json'), 'manifests'))) {
    const names = new Set([...(found.get(image.id)?.names ?? []), ...image.names]);
    found.set(image.id, { ...image, names: [...names] });
  }
  return [...found.values()];
}

/** @param top the descriptors in `index.json`, each with its own names; those of an index below it have the names of the index */
function* ociImages(files: Files, top: readonly unknown[]): Generator<ArchivedImage> {
  const pending = top.map((descriptor) => ({ descriptor, names: namesIn(descriptor), isNested: false }));
  for (const { descriptor, names, isNested } of pending) {
    // Of an index below the first, an archive may have no more than a part.
    if (isNested && !files.has(blobPath(descriptor))) continue;
    const document = parseDocument(requireBlob(files, descriptor).text, digestOf(descriptor));
    const mediaType = textIn(document, 'mediaType') ?? textIn(descriptor, 'mediaType') ?? '';
    if (MEDIA.indexes.includes(mediaType)) {
      for (const nested of listIn(document, 'manifests')) {
        pending.push({ descriptor: nested, names, isNested: true });
      }
      if (pending.length > MAX_LISTED)
        throw new FormatError(`lists more than ${MAX_LISTED} manifests`, { hint: HOW_TO_MAKE });
    } else if (MEDIA.manifests.includes(mediaType)) {
      const image = readOciImage(files, document, names);
      if (image !== undefined) yield image;
    }
  }
}

/** Undefined for what is no image: attestations, signatures and other artifacts. */
function readOciImage(files: Files, manifest: unknown, names: readonly string[]): ArchivedImage | undefined {
  const descriptor = valueAt(manifest, ['config']);
  if (!MEDIA.configs.includes(textIn(descriptor, 'mediaType') ?? '')) return undefined;
  const file = requireBlob(files, descriptor);
  const config = parseDocument(file.text, digestOf(descriptor));
  if (textIn(config, 'architecture') === 'unknown') return undefined;
  const layers = listIn(manifest, 'layers').map((layer) => requireBlob(files, layer));
  return describeImage({ id: file.sha256, names }, config, layers);
}

function readDockerImages(files: Files): ArchivedImage[] {
  if (!files.has('manifest.json')) {
    const problem = 'it contains neither oci-layout and index.json nor manifest.json';
    throw new FormatError(`is not a container image archive: ${problem}`, { hint: HOW_TO_MAKE });
  }
  const manifests = readDocument(files, 'manifest.json');
  if (!Array.isArray(manifests)) throw new FormatError('contains a manifest.json that is not a list');
  return manifests.map((manifest: unknown) => {
    const path = textIn(manifest, 'Config') ?? '';
    const file = requireFile(files, path);
    const named = /(?:^|\/)([0-9a-f]{64})(?:\.json)?$/.exec(path)?.[1];
    if (named !== undefined && named !== file.sha256) throw mismatch(path);
    const layers = listIn(manifest, 'Layers').map((layer) => requireFile(files, stringOf(layer) ?? ''));
    const names = asList(valueAt(manifest, ['RepoTags'])).filter((name) => typeof name === 'string');
    const identity = { id: file.sha256, names: names.filter(isFullName) };
    return describeImage(identity, parseDocument(file.text, path), layers);
  });
}

/** Checks that the layers unpack to what the config says. */
function describeImage(
  identity: { readonly id: string; readonly names: readonly string[] },
  config: unknown,
  files: readonly IndexedFile[],
): ArchivedImage {
  const diffIds = listIn(valueAt(config, ['rootfs']), 'diff_ids');
  if (diffIds.length !== files.length) {
    throw new FormatError(`contains ${files.length} layers, but the image config lists ${diffIds.length}`);
  }
  const layers = files.map(({ diffId, size, unpackedSize }, index) => {
    if (diffIds[index] !== `sha256:${diffId}`) throw mismatch(`layer ${index + 1}`);
    return { diffId, size, unpackedSize };
  });
  const [architecture, os] = ['architecture', 'os'].map((key) => textIn(config, key));
  if (!architecture || !os)
    throw new FormatError('contains an image without an architecture or operating system');
  return { ...identity, architecture, os, layers };
}

function namesIn(descriptor: unknown): string[] {
  const annotations = valueAt(descriptor, ['annotations']);
  const names = NAME_ANNOTATIONS.map((key) => textIn(annotations, key) ?? '').filter(isFullName);
  return [...new Set(names)];
}

/** skopeo writes nothing but the tag. */
function isFullName(name: string): boolean {
  const parsed = parseImageReference(name);
  return parsed.ok && parsed.reference.tag !== undefined;
}

function requireBlob(files: Files, descriptor: unknown): IndexedFile {
  const file = requireFile(files, blobPath(descriptor));
  if (`sha256:${file.sha256}` !== digestOf(descriptor)) throw mismatch(digestOf(descriptor));
  if (valueAt(descriptor, ['size']) !== file.size) {
    const problem = `${file.size} bytes for ${digestOf(descriptor)}, but the descriptor has another size`;
    throw new FormatError(`contains ${problem}`, { hint: DAMAGED_HINT });
  }
  return file;
}

function blobPath(descriptor: unknown): string {
  return `blobs/${digestOf(descriptor).replace(':', '/')}`;
}

function digestOf(descriptor: unknown): string {
  const digest = textIn(descriptor, 'digest') ?? '';
  if (/^sha256:[0-9a-f]{64}$/.test(digest)) return digest;
  throw new FormatError(`contains a descriptor without a sha256 digest: ${quoteText(digest)}`);
}

function requireFile(files: Files, path: string): IndexedFile {
  const file = files.get(plainPath(path));
  if (file !== undefined) return file;
  throw new FormatError(`does not contain ${quoteText(path)}, which its manifest lists`, {
    hint: DAMAGED_HINT,
  });
}

const DAMAGED_HINT = 'create the archive again; it is incomplete or damaged';

function mismatch(what: string): FormatError {
  return new FormatError(`contains content that does not match its digest: ${what}`, { hint: DAMAGED_HINT });
}

function readDocument(files: Files, path: string): unknown {
  return parseDocument(requireFile(files, path).text, path);
}

function parseDocument(text: string | undefined, name: string): unknown {
  const value = parseIfJson(text ?? '');
  if (value !== undefined) return value;
  const limit = formatSizeInWords(MAX_DOCUMENT);
  throw new FormatError(`contains no valid JSON in ${name}, or more than ${limit}`, { hint: DAMAGED_HINT });
}

function textIn(value: unknown, key: string): string | undefined {
  return stringOf(valueAt(value, [key]));
}

function listIn(value: unknown, key: string): readonly unknown[] {
  const list = valueAt(value, [key]);
  if (Array.isArray(list)) return list;
  throw new FormatError(`contains a JSON document without the list "${key}"`, { hint: DAMAGED_HINT });
}
