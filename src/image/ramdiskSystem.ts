/**
 * Which system an initramfs boots, as far as an ISO with it has to say so: the live system of CoreOS, which has Ignition and
 * says in `features.json` what else it can be told, or another one, such as the ramdisks of ironic-python-agent-builder.
 * Left out: older builds of CoreOS that tell their features on the ISO only.
 */

import { FormatError } from '../core/errors.ts';
import type { EmbedFiles } from './embedArea.ts';
import { CONFIG_NAME } from './embeddedIgnition.ts';
import { readInitrdFrom, sourceOfImage } from './initrd.ts';
import { parseFeatures } from './liveFeatures.ts';
import { isNetworkPath } from './networkSettings.ts';
import type { RandomAccess } from './randomAccess.ts';

/** The file by which the initramfs of a CoreOS live system is known; it names the build. */
export const LIVE_STAMP = 'etc/coreos-live-initramfs';
/** What that live system can be told. */
export const INITRD_FEATURES = 'etc/coreos/features.json';

export type RamdiskSystem = (CoreosSystem | OtherSystem) & {
  /** The Ignition config and network settings in the initramfs; undefined where it has none. */
  readonly embedded?: EmbedFiles;
};

export interface CoreosSystem {
  readonly kind: 'coreos';
  /** Its `features.json` as it is, which the ISO gets as well; undefined where it has none. */
  readonly features?: Uint8Array;
}

export interface OtherSystem {
  readonly kind: 'other';
  /** Why nothing is known of it; undefined where it has been read. */
  readonly problem?: string;
}

/** Bytes of the files that are read; real ones have some thousand. */
const MAX_KEPT = 64 * 1024 * 1024;
/** Ramdisks with all firmware of Linux unpack to more than a gigabyte. */
const MAX_UNPACKED = 16 * 1024 ** 3;

/**
 * All of the initramfs is read.
 * @throws FormatError for a `features.json` that no program could read; what the image throws
 */
export async function findRamdiskSystem(initrd: RandomAccess): Promise<RamdiskSystem> {
  const found = await readMarks(initrd);
  if (found instanceof FormatError) return { kind: 'other', problem: found.message };
  const embedded = new Map([...found].filter(([path]) => isEmbedded(path)));
  const common = embedded.size > 0 ? { embedded } : {};
  if (!found.has(LIVE_STAMP)) return { kind: 'other', ...common };
  const features = found.get(INITRD_FEATURES);
  if (features === undefined) return { kind: 'coreos', ...common };
  parseFeatures(features, `${INITRD_FEATURES} in the initramfs`);
  return { kind: 'coreos', features, ...common };
}

/** The kernel takes more than this program reads, by lz4 for example: that is no reason to make no ISO. */
async function readMarks(initrd: RandomAccess): Promise<ReadonlyMap<string, Uint8Array> | FormatError> {
  try {
    return await readInitrdFrom(sourceOfImage(initrd), {
      wants: (path) => path === LIVE_STAMP || path === INITRD_FEATURES || isEmbedded(path),
      maxKept: MAX_KEPT,
      maxBytes: MAX_UNPACKED,
    });
  } catch (error) {
    if (error instanceof FormatError) return error;
    throw error;
  }
}

function isEmbedded(path: string): boolean {
  return path === CONFIG_NAME || isNetworkPath(path);
}
