/** The served resources: files of hosts, boot scripts, and shared files. */

import type { BootFile } from '../../kargs/network/networkBoot.ts';
import { imageParts } from '../../image/bootParts.ts';
import { changedImage, type ImageChange } from '../../image/imageChange.ts';
import { type ImageBytes, type Patch, readerOf, zeros } from '../../image/overlay.ts';
import type { SharedImage } from '../../imagefile/sharedImage.ts';
import { type HostMaterial, makeConfigFile, makeHostImage } from '../../hosts/artifacts/hostArtifacts.ts';
import { type HostFile, hostFileName, imagePath } from '../../hosts/artifacts/servedPaths.ts';
import { bytesTag, digestTag, imageTag } from '../../http/server/answer/entityTag.ts';
import type { DateOf } from '../../http/server/answer/modifiedDates.ts';
import { artifacts, type ServedResource } from '../../http/server/answer/resource.ts';
import type { Cached } from '../../hosts/artifacts/imageCache.ts';
import type { OpenFiles } from './openFiles.ts';

/** The owner of a file, and the dates of all files. */
interface Owner {
  /** Undefined for shared files. */
  readonly name: string | undefined;
  readonly dateOf: DateOf;
}

/** Memory of a resource besides its data, in bytes. */
const OVERHEAD = 4096;

/**
 * Builds a file of a host and returns it with its memory size.
 * @param file its name, which differs from that of the host for machines that are not listed
 * @throws CliError if the config does not fit, or if a base image is missing
 */
export async function makeHostResource(
  source: HostMaterial & Owner,
  { artifact, host }: HostFile,
): Promise<Cached<ServedResource>> {
  const name = { artifact, fileName: hostFileName(host, artifact) };
  if (artifact === 'ign' || artifact === 'archive') {
    const bytes = makeConfigFile(artifact, source);
    return { value: bytesResource(name, source, bytes), size: bytes.length + OVERHEAD };
  }
  const { archive, base, changes, unchanged } = await makeHostImage(artifact, source);
  const { digest, file } = base;
  const lean = changes.map(trimZeroPatches);
  const bytes = lean.reduce<ImageBytes>(changedImage, unchanged);
  const known = archive && new Map([[archive.file, archive.sha512]]);
  const value = servedResource(name, source, {
    bytes,
    etag: await imageTag({ base: `${artifact} of ${digest}`, changes, ...(known && { known }) }),
    files: archive === undefined ? [file] : [file, archive.file],
  });
  return { value, size: lean.reduce((sum, change) => sum + patchBytes(change), 0) + OVERHEAD };
}

interface Name extends Pick<ServedResource, 'artifact' | 'fileName'> {
  /** In the catalog, if several files of the owner have the same name. */
  readonly path?: string;
}

interface Content {
  readonly bytes: ImageBytes;
  readonly etag: string;
  /** Files that stay open as long as they are served. */
  readonly files: readonly SharedImage[];
}

function servedResource(
  { path, ...name }: Name,
  owner: Owner,
  { bytes, etag, files }: Content,
): ServedResource {
  const check = async (): Promise<void> => {
    for (const file of files) await file.checkUnchanged();
  };
  return {
    ...name,
    host: owner.name,
    contentType: artifacts[name.artifact].contentType,
    size: bytes.size,
    etag,
    lastModified: owner.dateOf(`${owner.name ?? ''} ${path ?? name.fileName}`, etag),
    check,
    open: async () => {
      await check();
      return { ...bytes, close: async () => undefined };
    },
  };
}

function bytesResource(name: Name, owner: Owner, bytes: Uint8Array): ServedResource {
  const readInto: ImageBytes['readInto'] = async (target, offset) =>
    target.set(bytes.subarray(offset, offset + target.length));
  return servedResource(name, owner, {
    bytes: readerOf(bytes.length, readInto),
    etag: bytesTag(bytes),
    files: [],
  });
}

export function scriptResource({ path, text }: BootFile, owner: Owner): ServedResource {
  const fileName = path.slice(path.lastIndexOf('/') + 1);
  return bytesResource({ artifact: 'script', fileName, path }, owner, Buffer.from(text));
}

/** The shared files by path: kernels, initramfs, root filesystems and agent archives. */
export function sharedResources(
  { archives, bases }: Pick<OpenFiles, 'archives' | 'bases'>,
  dateOf: DateOf,
): Map<string, ServedResource> {
  const resources = new Map<string, ServedResource>();
  const add = (
    path: string,
    name: Pick<Name, 'artifact' | 'fileName'>,
    { bytes, digest, file }: { file: SharedImage; bytes: ImageBytes; digest: string },
  ): void => {
    const content = { bytes, etag: digestTag(digest), files: [file] };
    resources.set(path, servedResource({ ...name, path }, { name: undefined, dateOf }, content));
  };
  for (const { id, parts } of bases.values()) {
    for (const part of imageParts) {
      const image = parts[part];
      const name = { artifact: part, fileName: `ironic-python-agent.${part}` };
      if (image !== undefined) add(imagePath(id, part), name, image);
    }
  }
  for (const [path, { file, name, sha512 }] of archives.byPath) {
    add(path, { artifact: 'agent', fileName: name }, { file, bytes: file, digest: sha512 });
  }
  return resources;
}

/** The same change with less memory: trailing zeros are not stored, and no patch is a view of a larger buffer. */
export function trimZeroPatches(change: ImageChange): ImageChange {
  return { ...change, stages: change.stages.map((stage) => stage.flatMap(compactPatches)) };
}

/** The memory of its patches, in bytes. */
export function patchBytes({ stages }: ImageChange): number {
  const sizes = stages.flat().map(({ data }) => (data instanceof Uint8Array ? data.length : 0));
  return sizes.reduce((sum, size) => sum + size, 0);
}

/** For fewer zeros, an additional patch would not save memory. */
const LEAST_ZEROS = 1024;

function compactPatches({ offset, data }: Patch): Patch[] {
  if (!(data instanceof Uint8Array)) return [{ offset, data }];
  const used = data.findLastIndex((byte) => byte !== 0) + 1;
  const kept = data.length - used < LEAST_ZEROS ? data.length : used;
  const own = new Uint8Array(data.subarray(0, kept));
  if (kept === data.length) return [{ offset, data: own }];
  return [
    { offset, data: own },
    { offset: offset + kept, data: zeros(data.length - kept) },
  ];
}
