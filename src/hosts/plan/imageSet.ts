/** The live images of one architecture, by the paths under which machines find them. */

import type { Architecture } from '../../core/architecture.ts';
import type { ImagePart } from '../../image/bootParts.ts';
import type { LiveParts } from '../../image/inspection/memoryNeed.ts';
import type { InputImage } from './imageInputs.ts';

export interface ImageSet {
  readonly architecture: Architecture;
  /** The folder below `images`: another one as soon as an image is another. */
  readonly id: string;
  /** Paths below the URL from which machines boot. */
  readonly parts: Readonly<Partial<Record<ImagePart, string>>>;
  readonly iso: InputImage | undefined;
  /** Bytes of what hosts load, as far as it is known. */
  readonly sizes?: LiveParts;
}
