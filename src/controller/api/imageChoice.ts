/** Which image an object gets: the first format that the operator takes and the images at hand give. */

import { type Architecture, architectures } from '../../core/architecture.ts';
import { type ImageFormat, imageFormats } from './imageFormat.ts';
import type { ImageSpec } from './preprovisioningImage.ts';
import type { FailedOutcome } from './outcome.ts';

/** What can be made, by architecture. */
export type PossibleImages = ReadonlyMap<Architecture, readonly ImageFormat[]>;

export interface ImageChoice {
  readonly format: ImageFormat;
  readonly architecture: Architecture;
}

export function chooseImage(
  { architecture: wanted, acceptFormats }: ImageSpec,
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
