/**
 * Which system an initramfs boots, as far as an ISO with it has to say so: the live system of CoreOS, which has Ignition and
 * says in `features.json` what else it can be told, or another one, such as the ramdisks of ironic-python-agent-builder.
 * Left out: older builds of CoreOS that tell their features on the ISO only.
 */

import { argumentName } from '../boot/bootSettings.ts';
import { CliError, FormatError } from '../core/errors.ts';
import type { EmbedFiles } from './embedArea.ts';
import { CONFIG_NAME } from './embeddedIgnition.ts';
import { readInitrdFrom, sourceOfImage } from './initrd.ts';
import { type LiveFeatures, noFeatures, parseFeatures } from './liveFeatures.ts';
import { isNetworkPath } from './networkSettings.ts';
import type { RandomAccess } from './overlay.ts';

/** The file by which the initramfs of a CoreOS live system is known; it names the build. */
export const LIVE_STAMP = 'etc/coreos-live-initramfs';
const FEATURES = 'etc/coreos/features.json';

/** What identifies the system of an initramfs, and what was embedded in it. */
export interface InitrdMarks {
  readonly stamp: Uint8Array | undefined;
  /** Its `features.json` as it is. */
  readonly features: Uint8Array | undefined;
  /** The Ignition config and network settings. */
  readonly embedded: EmbedFiles;
}

/** Whether `marksOf` looks at a file of that path. */
export function isMark(path: string): boolean {
  return path === LIVE_STAMP || path === FEATURES || isEmbedded(path);
}

export function marksOf(files: EmbedFiles): InitrdMarks {
  const embedded = new Map([...files].filter(([path]) => isEmbedded(path)));
  return { stamp: files.get(LIVE_STAMP), features: files.get(FEATURES), embedded };
}

/**
 * The features of an initramfs; without the file, none.
 * @throws FormatError for a file that no program could read
 */
export function readInitrdFeatures({ features }: InitrdMarks): LiveFeatures {
  return features === undefined ? noFeatures : parseFeatures(features, `${FEATURES} in the initramfs`);
}

function isEmbedded(path: string): boolean {
  return path === CONFIG_NAME || isNetworkPath(path);
}

export type RamdiskSystem = (CoreosSystem | OtherSystem) & {
  /** The Ignition config and network settings in the initramfs; undefined where it has none. */
  readonly embedded?: EmbedFiles;
};

interface CoreosSystem {
  readonly kind: 'coreos';
  /** Its `features.json` as it is, which the ISO gets as well; undefined where it has none. */
  readonly features?: Uint8Array;
}

interface OtherSystem {
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
  const marks = marksOf(found);
  const { stamp, features, embedded } = marks;
  const common = embedded.size > 0 ? { embedded } : {};
  if (stamp === undefined) return { kind: 'other', ...common };
  readInitrdFeatures(marks); // refuses what no program could read
  return { kind: 'coreos', ...(features !== undefined && { features }), ...common };
}

/** The kernel takes more than this program reads, by lz4 for example: that is no reason to make no ISO. */
async function readMarks(initrd: RandomAccess): Promise<ReadonlyMap<string, Uint8Array> | FormatError> {
  try {
    return await readInitrdFrom(sourceOfImage(initrd), {
      wants: isMark,
      maxKept: MAX_KEPT,
      maxBytes: MAX_UNPACKED,
    });
  } catch (error) {
    if (error instanceof FormatError) return error;
    throw error;
  }
}

/**
 * The file with the root filesystem of a CoreOS live system, rootfs.img: an archive whose first member is the filesystem,
 * which is mounted from there without being unpacked. Left out: whether it belongs to the same build as an initramfs.
 */

const NEWC = '070701';
const NEWC_HEADER = 110;
const MEMBERS: ReadonlySet<string> = new Set(['root.squashfs', 'root.erofs']);
const LONGEST_MEMBER = 'root.squashfs\0'.length;

/**
 * @param name of the file, for errors
 * @throws CliError for what the live system would not mount
 */
export async function checkLiveRootfs(rootfs: RandomAccess, name: string): Promise<void> {
  const head = await rootfs.read(0, Math.min(NEWC_HEADER + LONGEST_MEMBER, rootfs.size));
  const text = Buffer.from(head).toString('latin1');
  const [member = ''] = text.slice(NEWC_HEADER).split('\0');
  if (text.startsWith(NEWC) && MEMBERS.has(member)) return;
  throw new CliError(`${name} is no root filesystem of a CoreOS live system`, {
    code: 'ERR_FORMAT',
    hint: 'it is the file rootfs of the PXE images, or images/pxeboot/rootfs.img of a live ISO',
  });
}

/**
 * The kernel arguments of an ISO that is made of a kernel and an initramfs. Left out: consoles and whatever else depends on
 * the machine, which the user names.
 */

export interface KargsWishes {
  /** What the user asked for; undefined for what is usual. */
  readonly given: readonly string[] | undefined;
  /** Volume ID of the ISO. */
  readonly label: string;
  /** Whether the root filesystem is on the ISO. */
  readonly hasRootfs: boolean;
}

/** As the scripts of ironic-python-agent-builder have them. */
const OTHER_KARGS = ['boot_method=vmedia'];

/** The whole line. CoreOS finds neither its root filesystem nor a config without arguments, so it gets those anyway. */
export function ramdiskKargs({ kind }: RamdiskSystem, wishes: KargsWishes): string {
  const { given, hasRootfs, label } = wishes;
  if (kind === 'other') return (given ?? OTHER_KARGS).join(' ');
  const names = new Set((given ?? []).flatMap((text) => text.trim().split(/\s+/)).map(argumentName));
  const needed = [
    ...(hasRootfs ? [`coreos.liveiso=${label}`] : []),
    'ignition.firstboot',
    'ignition.platform.id=metal',
  ];
  return [...needed.filter((text) => !names.has(argumentName(text))), ...(given ?? [])].join(' ');
}
