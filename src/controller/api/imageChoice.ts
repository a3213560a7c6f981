/**
 * The image format and the path of an object. The format is the first one that the operator accepts and that the base images
 * allow. The path is `ETAG/NAME.iso`, after a token for this object. As it contains the entity tag of the image, the path
 * changes with the image: the operator detects a new image only by a new URL, and a BMC that reads an image in many ranges
 * never gets bytes of two images.
 */

import { type Architecture, architectures } from '../../core/architecture.ts';
import { type ImageFormat, imageFormats, type PreprovisioningImageSpec } from './preprovisioningImage.ts';
import type { FailedOutcome } from './outcome.ts';
import type { ConfigArtifact } from '../../hosts/artifacts/artifacts.ts';
import { hostFileName } from '../../hosts/artifacts/servedPaths.ts';
import type { ServedResource } from '../../serve/answer/resource.ts';

/** The image formats that can be built, by architecture. */
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
    return refused(`no base image for the architecture ${shown(wanted ?? 'x86_64')}; available: ${known}`);
  }
  const format = firstAccepted(acceptFormats, formats);
  if (format !== undefined) return { format, architecture };
  const accepted = acceptFormats.map(shown).slice(0, imageFormats.length).join(', ') || 'none';
  const available = formats.join(', ');
  return refused(
    `no accepted image format for ${architecture}; accepted: ${accepted}; available: ${available}`,
  );
}

/** The first of the formats that the operator accepts. */
export function firstAccepted(
  acceptFormats: readonly string[],
  formats: readonly ImageFormat[],
): ImageFormat | undefined {
  return acceptFormats.flatMap((text) => formats.find((known) => known === text) ?? [])[0];
}

/** The requested architecture; without one, the only one with base images, otherwise x86_64. */
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

/** Characters. Some BMCs support at most 255 characters in a URL, and an object name alone may have 253. */
const MAX_STEM = 32;

/** The file name of an object without its suffix. */
export function imageStem(name: string): string {
  return name.slice(0, MAX_STEM).replace(/[^A-Za-z0-9.-]/g, '-');
}

export function builtFileName(name: string, artifact: ConfigArtifact): string {
  return hostFileName(imageStem(name), artifact);
}

/** @param etag including its quotes, which are not part of the path */
export function formatImagePath({ etag, fileName }: Pick<ServedResource, 'etag' | 'fileName'>): string {
  return `${etag.replaceAll('"', '')}/${fileName}`;
}

/** The file name in the path of an image; undefined for other paths. */
export function fileNameIn(path: string): string | undefined {
  return /^[A-Za-z0-9_-]{8,64}\/([A-Za-z0-9.-]{1,64})$/.exec(path)?.[1];
}
