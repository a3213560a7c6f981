/** The contents of an image as data, which contains secrets: they must be masked before output. */

import type { Finding } from '../../core/finding.ts';
import type { Architecture } from '../../core/architecture.ts';
import type { EmbedArea, EmbedFiles } from '../embedArea.ts';
import type { KargsLayout } from '../kargsAreas.ts';
import type { LiveFeatures } from '../liveFeatures.ts';
import type { MemoryPart } from './memoryNeed.ts';

export type ImageInspection = IsoInspection | InitrdInspection;

/** An ISO 9660 image. Undefined members are missing on the image, or cannot be read, which is one of the issues. */
export interface IsoInspection extends Contents {
  readonly kind: 'iso';
  /** Volume ID. */
  readonly label: string;
  /** Whether the root filesystem is missing on the medium. */
  readonly isMinimal: boolean;
  /** Size of the root filesystem on the medium in bytes. */
  readonly rootfsSize?: number | undefined;
  /** Whether the minimal ISO can be extracted. */
  readonly hasMinimalIso: boolean;
  /** Period in which Fedora CoreOS had this layout of the reserved areas. */
  readonly layout: string;
  readonly architecture?: Architecture | undefined;
  /** For example `UEFI (GRUB)`. */
  readonly bootLoaders: readonly string[];
  readonly embedArea?: UsedArea | undefined;
  readonly kargs?: InspectedKargs | undefined;
  readonly appended?: Appended | undefined;
  /** Traces of interrupted edits. */
  readonly leftovers: readonly Leftover[];
}

export type Leftover = 'unfinished edit' | 'bytes after the end';

/** An initramfs, or archives to append to one. */
export interface InitrdInspection extends Contents {
  readonly kind: 'initramfs';
  /** Build of the live system; undefined if it is not an initramfs of CoreOS. */
  readonly build?: string | undefined;
  readonly hasRootfs: boolean;
}

interface Contents {
  /** Bytes. */
  readonly size: number;
  readonly features?: LiveFeatures | undefined;
  /** Embedded files by path; for an initramfs only the Ignition config and network settings. */
  readonly files?: EmbedFiles | undefined;
  /** Minimum memory of a host. */
  readonly memory: readonly MemoryPart[];
  readonly issues: readonly Finding[];
}

interface UsedArea extends EmbedArea {
  /** Bytes of the archive, rounded up to 4 bytes; 0 if the area is empty. */
  readonly used: number;
}

export interface InspectedKargs extends KargsLayout {
  /** Undefined if the areas differ or cannot be read. */
  readonly current?: string | undefined;
}

/** Data that this program appended to an image. */
interface Appended {
  /** Size of the original image in bytes. */
  readonly originalSize: number;
  readonly hasGrown: boolean;
  /** Files on the medium, with their sizes in bytes. */
  readonly files: readonly { readonly name: string; readonly size: number }[];
}
