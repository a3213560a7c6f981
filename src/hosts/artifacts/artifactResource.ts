/** The resource of an artifact for an HTTP server: its size, entity tag and date, and its bytes with few of them in memory. */

import { changedImage, type ImageChange } from '../../image/imageChange.ts';
import type { ImageBytes } from '../../image/overlay.ts';
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
  const changes = artifact.changes.map(inOwnMemory);
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
  const patches = changes.flatMap((change) => change.patches);
  const stored = patches.map(({ data }) => (data instanceof Uint8Array ? data.length : 0));
  const own = files.length === 0 ? unchanged.size : stored.reduce((sum, size) => sum + size, 0);
  return { value, size: own + OVERHEAD };
}

/** The same change, without patches that are views of a larger buffer. */
function inOwnMemory({ patches, ...change }: ImageChange): ImageChange {
  const own = patches.map(({ data, offset }) => {
    return { offset, data: data instanceof Uint8Array ? new Uint8Array(data) : data };
  });
  return { ...change, patches: own };
}
