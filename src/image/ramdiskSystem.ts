/**
 * Detects the system of an initramfs: a CoreOS live system, with Ignition, the features in its `features.json` and the stamps of its
 * builder (stage org.osbuild.coreos.live-artifacts), or another system, for example a ramdisk of ironic-python-agent-builder. Not
 * supported: features of older CoreOS builds, whose `features.json` is only on the ISO. Kernels have no stamp.
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
import { parseStreamHash, type StreamHash } from './streamHash.ts';
import { liveArguments } from '../kargs/coreosArguments.ts';

/** The file that identifies the initramfs of a CoreOS live system; it contains the build. */
export const LIVE_STAMP = 'etc/coreos-live-initramfs';
/** What it supports, as JSON. */
export const LIVE_FEATURES = 'etc/coreos/features.json';
/** Describes the root filesystem that the live system requires. */
const WANTED_ROOTFS = 'etc/coreos-live-want-rootfs';
/** Limit of unpacked bytes; ramdisks with all Linux firmware have more than a gigabyte. */
const MAX_UNPACKED = 16 * 1024 ** 3;
/** Limit of all files that are read, in bytes: JavaScript has no text of twice as many. */
const MAX_KEPT = 256 * 1024 ** 2;

export interface RamdiskSystem {
  /** The version of the build of a CoreOS live system; undefined for another system. */
  readonly build: string | undefined;
  readonly hasRootfs: boolean;
  /** The root filesystem that it requires; undefined for old builds, and for those that do not check it. */
  readonly wantedRootfs: StreamHash | undefined;
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
    return [LIVE_STAMP, LIVE_FEATURES, WANTED_ROOTFS].includes(path) || isEmbedded(path);
  };
  const files = await readInitrdFrom(initrd, { maxBytes: MAX_UNPACKED, maxKept: MAX_KEPT, wants });
  const stamp = files.get(LIVE_STAMP);
  const embedded = new Map([...files].filter(([path]) => isEmbedded(path)));
  return {
    build: stamp && versionIn(stamp),
    features: stamp && files.get(LIVE_FEATURES),
    wantedRootfs: parseStreamHash(files.get(WANTED_ROOTFS) ?? new Uint8Array()),
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
function versionIn(stamp: Uint8Array): string {
  return Buffer.from(stamp).toString('utf8').trim().slice(0, MAX_VERSION);
}

const ROOTFS_STAMP = 'etc/coreos-live-rootfs';

/**
 * The version of the build of a root filesystem; undefined for builds without a stamp. Reads only the headers of its archive.
 * @throws FormatError if it is damaged or truncated
 */
export async function readRootfsBuild(rootfs: RandomAccess): Promise<string | undefined> {
  const wants = (path: string): boolean => path === ROOTFS_STAMP;
  const files = await readInitrdFrom(sourceOfImage(rootfs), { wants, maxKept: MAX_KEPT });
  const stamp = files.get(ROOTFS_STAMP);
  return stamp && versionIn(stamp);
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
