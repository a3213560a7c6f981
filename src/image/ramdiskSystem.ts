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

export interface RamdiskSystem {
  /** The version of the build of a CoreOS live system; undefined for another system. */
  readonly build: string | undefined;
  readonly hasRootfs: boolean;
  /** `features.json` of a CoreOS live system, unchanged; undefined if it is missing. */
  readonly features: Uint8Array | undefined;
  /** The Ignition config and network settings in the initramfs. */
  readonly embedded: EmbedFiles;
}

/**
 * Reads the whole initramfs.
 * @throws FormatError if an archive is damaged or exceeds the limits; errors of the source
 */
export async function readRamdiskSystem(initrd: ByteSource): Promise<RamdiskSystem> {
  let hasRootfs = false;
  const wants = (path: string): boolean => {
    hasRootfs ||= ROOTFS.has(path);
    return path === LIVE_STAMP || path === LIVE_FEATURES || isEmbedded(path);
  };
  const files = await readInitrdFrom(initrd, { maxBytes: MAX_UNPACKED, wants });
  const stamp = files.get(LIVE_STAMP);
  const embedded = new Map([...files].filter(([path]) => isEmbedded(path)));
  return {
    build: stamp && versionIn(stamp),
    features: stamp && files.get(LIVE_FEATURES),
    hasRootfs,
    embedded,
  };
}

/**
 * Returns the features of an initramfs; without the file, none is supported.
 * @throws FormatError if the file is invalid
 */
export function readInitrdFeatures({ features }: Pick<RamdiskSystem, 'features'>): LiveFeatures {
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

/** What is known of an initramfs that may be one that cannot be read; `problem` says why. */
export type FoundSystem = Partial<RamdiskSystem> & { readonly problem?: string };

/**
 * Reads the whole initramfs. If it cannot be read, the result contains the problem, because the kernel supports more formats
 * than this program (for example lz4).
 * @throws FormatError if `features.json` is invalid; errors of the image
 */
export async function findRamdiskSystem(initrd: RandomAccess): Promise<FoundSystem> {
  const system = await readRamdiskSystem(sourceOfImage(initrd)).catch(only(FormatError, (error) => error));
  if (system instanceof FormatError) return { problem: system.message };
  readInitrdFeatures(system); // throws if the file is invalid
  return system;
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
  { build }: Pick<FoundSystem, 'build'>,
  given: readonly string[] | undefined,
  rootfsLabel: string | undefined,
): string {
  if (build === undefined) return (given ?? OTHER_KARGS).join(' ');
  const words = (given ?? []).flatMap((text) => text.trim().split(/\s+/));
  const names = new Set(words.map((text) => parseArgument(text).name));
  const needed = liveArguments({ rootfsLabel }).filter(({ name }) => !names.has(name));
  return [...needed.map(({ text }) => text), ...(given ?? [])].join(' ');
}
