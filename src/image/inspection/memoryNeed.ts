/**
 * How much memory a host needs to boot a live system of CoreOS: what its documentation asks for, and what was added to
 * the image. With less, the kernel unpacks a part of the initramfs, or the boot ends in the middle.
 */

/** One reason for so many bytes. */
export interface MemoryPart {
  readonly what: string;
  readonly bytes: number;
}

const GIB = 1024 ** 3;
/** Of a live system whose root filesystem is on the medium, or is fetched. */
const LIVE_SYSTEM = 2 * GIB;
/** Of one whose root filesystem comes as a part of the initramfs: it is there twice for a while. */
const LIVE_SYSTEM_FROM_INITRD = 4 * GIB;
/** What ironic-agent-image advises for a host that runs the agent in its container. */
export const ADVISED_FOR_AGENT = 6 * GIB;

/** Where the root filesystem comes from. */
export type RootfsSource = 'medium' | 'network' | 'initramfs';

const SYSTEMS: Readonly<Record<RootfsSource, MemoryPart>> = {
  medium: { what: 'live system with its root filesystem on the medium', bytes: LIVE_SYSTEM },
  network: { what: 'live system that fetches its root filesystem', bytes: LIVE_SYSTEM },
  initramfs: {
    what: 'live system with its root filesystem in the initramfs',
    bytes: LIVE_SYSTEM_FROM_INITRD,
  },
};

/** What runs takes no less, and has a margin in it, however large the parts are that are known. */
const LEAST_BESIDES = GIB;

/** Bytes of the parts of a live system, as far as they are known. */
export interface LiveParts {
  readonly rootfs?: number | undefined;
  /** With what is appended to it. */
  readonly initramfs?: number | undefined;
}

/**
 * The live system itself: its parts that are in memory, and what it takes besides. Together no less than its documentation
 * asks for, and more where its parts have outgrown that.
 */
export function liveMemory(
  source: RootfsSource,
  { rootfs = 0, initramfs = 0 }: LiveParts = {},
): MemoryPart[] {
  const { what, bytes } = SYSTEMS[source];
  // That of the medium is read where it is; that in the initramfs is counted with it.
  const kept = source === 'network' ? rootfs : 0;
  return [
    { what, bytes: Math.max(LEAST_BESIDES, bytes - kept - initramfs) },
    ...filesMemory('root filesystem, which stays in memory', [kept]),
    ...filesMemory('initramfs', [initramfs]),
  ];
}

/** Of files that stay in memory, none where there are none. */
export function filesMemory(what: string, sizes: Iterable<number>): MemoryPart[] {
  let bytes = 0;
  for (const size of sizes) bytes += size;
  return bytes === 0 ? [] : [{ what, bytes }];
}

/** All parts together, in bytes. */
export function totalMemory(parts: readonly MemoryPart[]): number {
  return parts.reduce((sum, { bytes }) => sum + bytes, 0);
}
