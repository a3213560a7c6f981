/** The resource of an artifact for an HTTP server: its size, entity tag and date, and its bytes with few of them in memory. */

import { changedImage, type ImageChange } from '../../image/imageChange.ts';
import { type ImageBytes, type Patch, zeros } from '../../image/overlay.ts';
import type { DateOf } from '../../http/server/answer/modifiedDates.ts';
import { artifacts } from '../../core/artifacts.ts';
import type { ServedResource } from '../../http/server/answer/resource.ts';
import type { SiteFile } from './site.ts';
import type { Cached } from './imageCache.ts';

/** Memory of a resource besides its data, in bytes. */
const OVERHEAD = 4096;

/** Returns the resource of a file with its memory size. Its images must stay open as long as it is served. */
export async function createResource(
  { host, kind, make, path }: SiteFile,
  dateOf: DateOf,
): Promise<Cached<ServedResource>> {
  const artifact = await make();
  const { files, unchanged } = artifact;
  const changes = artifact.changes.map(trimZeroPatches);
  const bytes = changes.reduce<ImageBytes>(changedImage, unchanged);
  const etag = await artifact.etag();
  const check = async (): Promise<void> => {
    for (const file of files) await file.checkUnchanged();
  };
  const value: ServedResource = {
    artifact: kind,
    host,
    fileName: path.slice(path.lastIndexOf('/') + 1),
    contentType: artifacts[kind].contentType,
    size: bytes.size,
    etag,
    lastModified: dateOf(`${host ?? ''} ${path}`, etag),
    check,
    open: async () => {
      await check();
      return { ...bytes, close: async () => undefined };
    },
  };
  const own =
    files.length === 0 ? unchanged.size : changes.reduce((sum, change) => sum + patchBytes(change), 0);
  return { value, size: own + OVERHEAD };
}

/** The same change with less memory: trailing zeros are not stored, and no patch is a view of a larger buffer. */
export function trimZeroPatches(change: ImageChange): ImageChange {
  return { ...change, patches: change.patches.flatMap(compactPatches) };
}

/** The memory of its patches, in bytes. */
export function patchBytes({ patches }: ImageChange): number {
  const sizes = patches.map(({ data }) => (data instanceof Uint8Array ? data.length : 0));
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
