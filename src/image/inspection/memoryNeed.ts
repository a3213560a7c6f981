/**
 * Computes the memory that a host needs to boot a CoreOS live system: the minimum of its documentation, and the files that
 * were added to the image. With less memory, the kernel unpacks only a part of the initramfs, or the boot fails.
 */

/** One component and its size. */
export interface MemoryPart {
  readonly what: string;
  readonly bytes: number;
}

const GIB = 1024 ** 3;
/** Minimum if the root filesystem is on the medium, or is fetched. */
const LIVE_SYSTEM = 2 * GIB;
/** Recommendation of ironic-agent-image for a host that runs the agent in its container. */
export const ADVISED_FOR_AGENT = 6 * GIB;

/** Source of the root filesystem. */
export type RootfsSource = 'medium' | 'network' | 'initramfs';

const SYSTEMS: Readonly<Record<RootfsSource, MemoryPart>> = {
  medium: { what: 'live system with its root filesystem on the medium', bytes: LIVE_SYSTEM },
  network: { what: 'live system that fetches its root filesystem', bytes: LIVE_SYSTEM },
  // During boot, the root filesystem is in memory twice.
  initramfs: { what: 'live system with its root filesystem in the initramfs', bytes: 4 * GIB },
};

/** Minimum for the running system in addition to the parts below, with a margin. */
const MINIMUM_FOR_SYSTEM = GIB;

/** Sizes of the parts of a live system in bytes, if known. */
export interface LiveParts {
  readonly rootfs?: number | undefined;
  /** Including appended archives. */
  readonly initramfs?: number | undefined;
}

/**
 * The memory of the live system: its parts in memory, and the running system. The total is at least the minimum of the
 * documentation, and more if the parts are larger.
 */
export function liveMemory(
  source: RootfsSource,
  { rootfs = 0, initramfs = 0 }: LiveParts = {},
): MemoryPart[] {
  const { what, bytes } = SYSTEMS[source];
  // A root filesystem on the medium is not in memory; in the initramfs, it is counted with the initramfs.
  const kept = source === 'network' ? rootfs : 0;
  return [
    { what, bytes: Math.max(MINIMUM_FOR_SYSTEM, bytes - kept - initramfs) },
    ...filesMemory('root filesystem, which stays in memory', [kept]),
    ...filesMemory('initramfs', [initramfs]),
  ];
}

/** The memory for files that stay in memory; an empty list without files. */
export function filesMemory(what: string, sizes: Iterable<number>): MemoryPart[] {
  let bytes = 0;
  for (const size of sizes) bytes += size;
  return bytes === 0 ? [] : [{ what, bytes }];
}

/** The sum of all parts in bytes. */
export function totalMemory(parts: readonly MemoryPart[]): number {
  return parts.reduce((sum, { bytes }) => sum + bytes, 0);
}
