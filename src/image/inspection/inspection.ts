/** What an image is and holds, as data. Secrets are in it: whoever shows it masks them. */

import type { Issue } from '../../ignition/rule.ts';
import type { EmbedArea, EmbedFiles } from '../embedArea.ts';
import type { KargsLayout } from '../kargsAreas.ts';
import type { LiveFeatures } from '../liveFeatures.ts';
import type { Architecture } from '../../core/architecture.ts';
import type { MemoryPart } from './memoryNeed.ts';

export type Inspection = IsoInspection | InitrdInspection;

/** An ISO 9660 image. What is undefined is not there, or cannot be read, which is one of the issues. */
export interface IsoInspection extends Contents {
  readonly kind: 'iso';
  /** Volume ID. */
  readonly label: string;
  /** No root filesystem is on it. */
  readonly isMinimal: boolean;
  /** Root filesystem on the medium. */
  readonly rootfsSize?: number;
  /** The minimal ISO of the same build can be taken out of it. */
  readonly givesMinimalIso: boolean;
  /** When Fedora CoreOS described its reserved areas as this image does. */
  readonly layout: string;
  readonly architecture?: Architecture;
  /** Those that start it, e.g. `UEFI (GRUB)`. */
  readonly bootLoaders: readonly string[];
  readonly embedArea?: UsedArea;
  readonly kargs?: InspectedKargs;
  readonly appended?: Appended;
  /** What edits that were interrupted have left. */
  readonly leftovers: readonly Leftover[];
}

export type Leftover = 'unfinished edit' | 'volume descriptors' | 'bytes behind the end';

/** An initramfs, or archives that go with one. */
export interface InitrdInspection extends Contents {
  readonly kind: 'initramfs';
  /** The live system that it boots; without, it is not an initramfs of CoreOS. */
  readonly build?: string;
  /** The root filesystem of the live system is in it, too. */
  readonly hasRootfs: boolean;
}

interface Contents {
  /** Bytes. */
  readonly size: number;
  readonly features?: LiveFeatures;
  /** Files that somebody embedded, by path; of an initramfs, those that coreos-installer knows. */
  readonly files?: EmbedFiles;
  /** What a host needs, at least. */
  readonly memory: readonly MemoryPart[];
  readonly issues: readonly Issue[];
}

export interface UsedArea extends EmbedArea {
  /** Bytes of the archive, in whole words; none where the area is empty. */
  readonly used: number;
}

export interface InspectedKargs extends KargsLayout {
  /** Undefined where the areas hold different ones, or none that can be read. */
  readonly current?: string;
}

/** What this program put behind the end of an image. */
export interface Appended {
  /** Bytes of the image before. */
  readonly originalSize: number;
  /** The embed area is one that was appended. */
  readonly hasGrown: boolean;
  /** Files on the medium, with their sizes in bytes. */
  readonly files: readonly { readonly name: string; readonly size: number }[];
}
