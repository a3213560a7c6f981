/**
 * The path of an object's image: `ETAG/NAME.iso`, behind a token that is good for this object. With the entity tag of the
 * image in it, another image always has another path. Operators notice a new image only by a new URL; and a BMC that reads
 * one image in many ranges never gets bytes of two.
 */

import type { ConfigArtifact } from '../../hosts/artifacts/artifacts.ts';
import { hostFileName } from '../../hosts/artifacts/servedPaths.ts';

export interface ImagePath {
  /** With its quotes. */
  readonly etag: string;
  readonly fileName: string;
}

/** Characters. BMCs allow for 255 in a URL, and less; the names of objects may have 253 alone. */
const MAX_STEM = 32;

/** What the files of an object are called before their ending. */
export function imageStem(name: string): string {
  return name.slice(0, MAX_STEM).replace(/[^A-Za-z0-9.-]/g, '-');
}

export function imageFileName(name: string, artifact: ConfigArtifact): string {
  return hostFileName(imageStem(name), artifact);
}

/** @param etag with its quotes, which do not stand in the path */
export function formatImagePath({ etag, fileName }: ImagePath): string {
  return `${etag.replaceAll('"', '')}/${fileName}`;
}

/** Undefined for what is no such path. */
export function parseImagePath(path: string): ImagePath | undefined {
  const [, tag, fileName] = /^([A-Za-z0-9_-]{8,64})\/([A-Za-z0-9.-]{1,64})$/.exec(path) ?? [];
  return tag === undefined || fileName === undefined ? undefined : { etag: `"${tag}"`, fileName };
}
