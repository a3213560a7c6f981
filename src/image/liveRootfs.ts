/**
 * The file with the root filesystem of a CoreOS live system, rootfs.img: an archive whose first member is the filesystem,
 * which is mounted from there without being unpacked. Left out: whether it belongs to the same build as an initramfs.
 */

import { CliError } from '../core/errors.ts';
import type { RandomAccess } from './randomAccess.ts';

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
    hint: 'it is the file rootfs of the PXE images, or images/pxeboot/rootfs.img of a live ISO',
  });
}
