/** Detects the kind of an image from its first bytes, independently of the file name. */

import { HEADER_SIZE as NEWC_HEADER, MAGIC_NEWC } from '../formats/cpio.ts';
import { isForeignCompression } from '../formats/compressionFormat.ts';
import { ISO_MARK } from '../formats/iso9660/fields.ts';
import { readStart } from './fileStart.ts';
import { readKernelHeader } from './kernel.ts';
import { hasTextAt, type RandomAccess } from './overlay.ts';

/** `other` is any other file, for example a text or a disk image. */
export type ImageKind = 'iso' | 'kernel' | 'initramfs' | 'rootfs' | 'other';

/** The start of the magic of all text formats of cpio. */
const CPIO_MARK = '0707';

/**
 * Of compressed data, the first bytes are unpacked: a kernel for aarch64, an initramfs and a config may all be compressed by gzip.
 * An `initramfs` is any cpio archive, or compressed data that cannot be unpacked; its contents are not checked.
 */
export async function detectKind(image: RandomAccess): Promise<ImageKind> {
  if (await hasTextAt(image, ISO_MARK.offset, ISO_MARK.text)) return 'iso';
  if (await isLiveRootfs(image)) return 'rootfs';
  if ((await readKernelHeader(image)) !== undefined) return 'kernel';
  const { format, head } = await readStart(image);
  const isArchive =
    head.toString('latin1', 0, CPIO_MARK.length) === CPIO_MARK ||
    isForeignCompression(head) ||
    (format !== 'none' && head.length === 0);
  return isArchive ? 'initramfs' : 'other';
}

/** Names of root filesystems; one of them is the first file in the archive for network boot. */
export const ROOTFS: ReadonlySet<string> = new Set(['root.squashfs', 'root.erofs']);
const LONGEST_MEMBER = 'root.squashfs\0'.length;

/**
 * Whether a file is rootfs.img, the root filesystem of a CoreOS live system: an archive with the filesystem as its first file,
 * which the live system mounts without unpacking.
 */
async function isLiveRootfs(file: RandomAccess): Promise<boolean> {
  const head = await file.read(0, Math.min(NEWC_HEADER + LONGEST_MEMBER, file.size));
  const text = Buffer.from(head).toString('latin1');
  const [member = ''] = text.slice(NEWC_HEADER).split('\0');
  return text.startsWith(MAGIC_NEWC) && ROOTFS.has(member);
}
