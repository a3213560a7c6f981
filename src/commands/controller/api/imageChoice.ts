/**
 * The image format and the path of an object. The format is the first one that the operator accepts and that the base images
 * allow. The path is `ETAG/NAME.iso`, after a token for this object. As it contains the entity tag of the image, the path
 * changes with the image: the operator detects a new image only by a new URL, and a BMC that reads an image in many ranges
 * never gets bytes of two images.
 */

import { quoteText } from '../../../core/foreignText.ts';
import { architectures } from '../../../core/architecture.ts';
import {
  type ImageFormat,
  imageFormats,
  type PreprovisioningImage,
  STREAM_LABEL,
} from './preprovisioningImage.ts';
import type { FailedOutcome } from './outcome.ts';
import type { ConfigArtifact } from '../../../core/artifacts.ts';
import {
  architecturesOf,
  chooseImages,
  hasStreams,
  type BaseCatalog,
  type ImagesKey,
  imagesName,
} from '../../../hosts/plan/baseCatalog.ts';
import { hostFileName } from '../../../hosts/plan/servedPaths.ts';

export interface PossibleImages {
  /** The formats of each set of base images. */
  readonly formats: BaseCatalog<readonly ImageFormat[]>;
  /** The stream of objects without the label, from the settings of all hosts. */
  readonly stream: string | undefined;
}

export interface ImageChoice extends ImagesKey {
  readonly format: ImageFormat;
}

/**
 * A stream without base images is refused, not replaced with the default: the agent can install the CoreOS that it runs
 * from, so the host would get another release. Only if no base image has a stream, the label has no effect, because
 * OpenShift's installer sets it on all hosts.
 */
export function chooseImage(
  image: { readonly spec: PreprovisioningImage['spec']; readonly stream: string | undefined },
  possible: PossibleImages,
): ImageChoice | FailedOutcome {
  const { spec, stream } = image;
  const { architecture: wanted, acceptFormats } = spec;
  const catalog = possible.formats;
  const architecture = architectures.find((known) => known === wanted);
  if (
    wanted !== undefined &&
    (architecture === undefined || !architecturesOf(catalog).includes(architecture))
  ) {
    const known = [...catalog.keys()].join(', ') || 'none';
    return refused(`no base image for the architecture ${quoteText(wanted)}; available: ${known}`);
  }
  const selected = hasStreams(catalog) ? (stream ?? possible.stream) : undefined;
  const chosen = chooseImages({ architecture, stream: selected }, catalog);
  if ('message' in chosen) {
    const place = stream === undefined ? '' : `label ${STREAM_LABEL}: `;
    return refused(`${place}${chosen.message} (${chosen.hint})`);
  }
  const { images: formats, ...key } = chosen;
  const format = firstAccepted(acceptFormats, formats);
  if (format !== undefined) return { format, ...key };
  const accepted = acceptFormats.map(quoteText).slice(0, imageFormats.length).join(', ') || 'none';
  const available = formats.join(', ') || 'none';
  return refused(
    `no accepted image format for ${imagesName(key)}; accepted: ${accepted}; available: ${available}`,
  );
}

export function firstAccepted(
  acceptFormats: readonly string[],
  formats: readonly ImageFormat[],
): ImageFormat | undefined {
  return acceptFormats.flatMap((text) => formats.find((known) => known === text) ?? [])[0];
}

function refused(message: string): FailedOutcome {
  return { kind: 'failed', reason: 'ConfigurationError', message, attempt: undefined };
}

/** Characters. Some BMCs support at most 255 characters in a URL, and an object name alone may have 253. */
const MAX_STEM = 32;

export function builtFileName(name: string, artifact: ConfigArtifact): string {
  return hostFileName(name.slice(0, MAX_STEM).replace(/[^A-Za-z0-9.-]/g, '-'), artifact);
}

/** @param etag including its quotes, which are not part of the path */
export function formatImagePath(etag: string, fileName: string): string {
  return `${etag.replaceAll('"', '')}/${fileName}`;
}

/** The file name in the path of an image; undefined for other paths. */
export function fileNameIn(path: string): string | undefined {
  return /^[A-Za-z0-9_-]{8,64}\/([A-Za-z0-9.-]{1,64})$/.exec(path)?.[1];
}
