/**
 * Of which build the files for network boot are, by the stamps that the builder of CoreOS writes (stage
 * org.osbuild.coreos.live-artifacts): the versions in `/etc/coreos-live-initramfs` and `/etc/coreos-live-rootfs`, and the stream
 * hash of the root filesystem in `/etc/coreos-live-want-rootfs`. The live system compares the same (35coreos-live of
 * fedora-coreos-config). Kernels have no stamp.
 */

import { createHash } from 'node:crypto';
import { readInitrdFrom, sourceOfImage } from './initrd.ts';
import type { RandomAccess } from './overlay.ts';
import { LIVE_STAMP, MAX_UNPACKED, versionIn } from './ramdiskSystem.ts';

/** What the stamps of an initramfs say. */
export interface InitramfsStamps {
  /** The version of the build, for example `44.20261101.3.0`; undefined for another system than CoreOS. */
  readonly build: string | undefined;
  /** Undefined for old builds, and for those that the live system does not check. */
  readonly rootfs: StreamHash | undefined;
}

/** The digests of a file, block by block. */
export interface StreamHash {
  /** Bytes of a block. */
  readonly block: number;
  /** Hexadecimal SHA-256 of each block. */
  readonly digests: readonly string[];
}

const WANT_ROOTFS = 'etc/coreos-live-want-rootfs';
/** Limit of the stamps in bytes. */
const MAX_STAMPS = 16 * 1024 * 1024;

/**
 * Reads the whole initramfs.
 * @throws FormatError if it is damaged or truncated; UnsupportedError if its compression is not supported
 */
export async function readInitramfsStamps(initramfs: RandomAccess): Promise<InitramfsStamps> {
  const files = await readInitrdFrom(sourceOfImage(initramfs), {
    maxBytes: MAX_UNPACKED,
    maxKept: MAX_STAMPS,
    wants: (path) => path === LIVE_STAMP || path === WANT_ROOTFS,
  });
  const stamp = files.get(LIVE_STAMP);
  // The output of `rdcore stream-hash`; undefined for another format.
  const [title = '', ...digests] = Buffer.from(files.get(WANT_ROOTFS) ?? [])
    .toString('latin1')
    .trim()
    .split('\n');
  const [, size = ''] = /^stream-hash sha256 ([1-9]\d{0,8})$/.exec(title) ?? [];
  const isValid = size !== '' && digests.length > 0 && digests.every((text) => /^[0-9a-f]{64}$/.test(text));
  return { build: stamp && versionIn(stamp), rootfs: isValid ? { block: Number(size), digests } : undefined };
}

const ROOTFS_STAMP = 'etc/coreos-live-rootfs';

/**
 * The version of the build of a root filesystem; undefined for builds without a stamp. Reads only the headers of its archive.
 * @throws FormatError if it is damaged or truncated
 */
export async function readRootfsBuild(rootfs: RandomAccess): Promise<string | undefined> {
  const wants = (path: string): boolean => path === ROOTFS_STAMP;
  const files = await readInitrdFrom(sourceOfImage(rootfs), { wants, maxKept: MAX_STAMPS });
  const stamp = files.get(ROOTFS_STAMP);
  return stamp && versionIn(stamp);
}

/** Whether a file has this stream hash. Compares the size, the first block and the last one, which differ between builds. */
export async function hasStreamHash(file: RandomAccess, { block, digests }: StreamHash): Promise<boolean> {
  if (Math.ceil(file.size / block) !== digests.length) return false;
  for (const index of new Set([0, digests.length - 1])) {
    const offset = index * block;
    const bytes = await file.read(offset, Math.min(block, file.size - offset));
    if (createHash('sha256').update(bytes).digest('hex') !== digests[index]) return false;
  }
  return true;
}
