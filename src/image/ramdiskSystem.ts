/**
 * Detects the system of an initramfs for `iso create`: a CoreOS live system, with Ignition and the features in its
 * `features.json`, or another system, for example a ramdisk of ironic-python-agent-builder. Not supported: features of older
 * CoreOS builds, whose `features.json` is only on the ISO.
 */

import { parseArgument } from '../kargs/argument.ts';
import { FormatError, only } from '../core/errors.ts';
import type { ByteSource } from '../formats/byteReader.ts';
import type { EmbedFiles } from './embedArea.ts';
import { CONFIG_NAME } from './embeddedIgnition.ts';
import { ROOTFS } from './imageKind.ts';
import { readInitrdFrom, sourceOfImage } from './initrd.ts';
import { type LiveFeatures, noFeatures, parseFeatures } from './liveFeatures.ts';
import { isNetworkPath } from './networkSettings.ts';
import type { RandomAccess } from './overlay.ts';
import { liveArguments } from '../kargs/coreosArguments.ts';

/** The file that identifies the initramfs of a CoreOS live system; it contains the build. */
export const LIVE_STAMP = 'etc/coreos-live-initramfs';
/** What it supports, as JSON. */
export const LIVE_FEATURES = 'etc/coreos/features.json';
/** Limit of unpacked bytes; ramdisks with all Linux firmware have more than a gigabyte. */
export const MAX_UNPACKED = 16 * 1024 ** 3;

/** The files that identify the system of an initramfs, and the embedded files. */
export interface InitrdMarks {
  readonly stamp: Uint8Array | undefined;
  readonly hasRootfs: boolean;
  /** `features.json`, unchanged. */
  readonly features: Uint8Array | undefined;
  /** The Ignition config and network settings. */
  readonly embedded: EmbedFiles;
}

/**
 * Reads the whole initramfs.
 * @throws FormatError if an archive is damaged or exceeds the limits; errors of the source
 */
export async function readMarks(initrd: ByteSource): Promise<InitrdMarks> {
  let hasRootfs = false;
  const wants = (path: string): boolean => {
    hasRootfs ||= ROOTFS.has(path);
    return path === LIVE_STAMP || path === LIVE_FEATURES || isEmbedded(path);
  };
  const files = await readInitrdFrom(initrd, { maxBytes: MAX_UNPACKED, wants });
  const embedded = new Map([...files].filter(([path]) => isEmbedded(path)));
  return { stamp: files.get(LIVE_STAMP), features: files.get(LIVE_FEATURES), hasRootfs, embedded };
}

/**
 * Returns the features of an initramfs; without the file, none is supported.
 * @throws FormatError if the file is invalid
 */
export function readInitrdFeatures({ features }: InitrdMarks): LiveFeatures {
  return features === undefined ? noFeatures : parseFeatures(features, `${LIVE_FEATURES} in the initramfs`);
}

/** Characters of a version that are shown. */
const MAX_VERSION = 200;

/** The version of the build in a stamp. */
export function versionIn(stamp: Uint8Array): string {
  return Buffer.from(stamp).toString('utf8').trim().slice(0, MAX_VERSION);
}

/** Whether a path is of the Ignition config or of network settings. */
export function isEmbedded(path: string): boolean {
  return path === CONFIG_NAME || isNetworkPath(path);
}

export interface RamdiskSystem {
  readonly kind: 'coreos' | 'other';
  /** The Ignition config and network settings in the initramfs. */
  readonly embedded?: EmbedFiles;
  /** `features.json` of a CoreOS initramfs, which is copied to the ISO; undefined if it is missing. */
  readonly features?: Uint8Array | undefined;
  /** The version of its build; undefined for another system than CoreOS. */
  readonly build?: string;
  /** Why the initramfs could not be read; undefined if it was read. */
  readonly problem?: string;
}

/**
 * Reads the whole initramfs. If it cannot be read, the result contains the problem, because the kernel supports more formats
 * than this program (for example lz4).
 * @throws FormatError if `features.json` is invalid; errors of the image
 */
export async function findRamdiskSystem(initrd: RandomAccess): Promise<RamdiskSystem> {
  const marks = await readMarks(sourceOfImage(initrd)).catch(only(FormatError, (error) => error));
  if (marks instanceof FormatError) return { kind: 'other', problem: marks.message };
  const { stamp, features, embedded } = marks;
  if (stamp === undefined) return { kind: 'other', embedded };
  readInitrdFeatures(marks); // throws if the file is invalid
  return { kind: 'coreos', build: versionIn(stamp), features, embedded };
}

/** The default of the scripts of ironic-python-agent-builder. */
const OTHER_KARGS = ['boot_method=vmedia'];

/**
 * Returns the kernel arguments of an ISO that is created from a kernel and an initramfs. For CoreOS, the arguments are added
 * that it requires to find its root filesystem and a config.
 * @param given kernel arguments of the user; undefined for the defaults
 * @param rootfsLabel volume ID of the ISO; undefined if it does not contain the root filesystem
 */
export function ramdiskKargs(
  { kind }: RamdiskSystem,
  given: readonly string[] | undefined,
  rootfsLabel: string | undefined,
): string {
  if (kind === 'other') return (given ?? OTHER_KARGS).join(' ');
  const words = (given ?? []).flatMap((text) => text.trim().split(/\s+/));
  const names = new Set(words.map((text) => parseArgument(text).name));
  const needed = liveArguments({ rootfsLabel }).filter(({ name }) => !names.has(name));
  return [...needed.map(({ text }) => text), ...(given ?? [])].join(' ');
}
