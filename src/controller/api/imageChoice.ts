/**
 * Which image an object gets, and under which path. It is the first format that the operator accepts and that can be made
 * from the images at hand. The path is `ETAG/NAME.iso`, behind a token that is valid for this object. With the entity tag
 * of the image in it, another image always has another path. Operators notice a new image only by a new URL; and a BMC that
 * reads one image in many ranges never gets bytes of two.
 */

import { type Architecture, architectures } from '../../core/architecture.ts';
import { type ImageFormat, imageFormats, type PreprovisioningImageSpec } from './preprovisioningImage.ts';
import type { FailedOutcome } from './outcome.ts';
import type { ConfigArtifact } from '../../hosts/artifacts/artifacts.ts';
import { hostFileName } from '../../hosts/artifacts/servedPaths.ts';

/** What can be made, by architecture. */
export type PossibleImages = ReadonlyMap<Architecture, readonly ImageFormat[]>;

export interface ImageChoice {
  readonly format: ImageFormat;
  readonly architecture: Architecture;
}

export function chooseImage(
  { architecture: wanted, acceptFormats }: PreprovisioningImageSpec,
  possible: PossibleImages,
): ImageChoice | FailedOutcome {
  const architecture = chooseArchitecture(wanted, possible);
  const formats = (architecture && possible.get(architecture)) ?? [];
  if (architecture === undefined || formats.length === 0) {
    const known = [...possible.keys()].join(', ') || 'none';
    return refused(`there are no images for ${shown(wanted ?? 'x86_64')}: there are images for ${known}`);
  }
  const format = acceptFormats.flatMap((text) => formats.find((known) => known === text) ?? [])[0];
  if (format !== undefined) return { format, architecture };
  const accepted = acceptFormats.map(shown).slice(0, imageFormats.length).join(', ') || 'none';
  const made = formats.join(', ');
  return refused(`no acceptable format: accepted are ${accepted}; for ${architecture} there are ${made}`);
}

/** Operators say it; where they do not, it is the only one that there is. */
function chooseArchitecture(wanted: string | undefined, possible: PossibleImages): Architecture | undefined {
  if (wanted === undefined) return possible.size === 1 ? [...possible.keys()][0] : 'x86_64';
  return architectures.find((known) => known === wanted);
}

function refused(message: string): FailedOutcome {
  return { kind: 'failed', reason: 'ConfigurationError', message, attempt: undefined };
}

const MAX_SHOWN = 40;

function shown(text: string): string {
  return JSON.stringify(text.slice(0, MAX_SHOWN));
}

interface ImagePath {
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

export function builtFileName(name: string, artifact: ConfigArtifact): string {
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
