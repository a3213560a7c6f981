/**
 * For which machines a live ISO is: what its kernel says, and where that says nothing, what else is on the image. The
 * kernel of s390x has no mark of its own.
 */

import type { Architecture } from '../../core/architecture.ts';
import type { IsoTree } from '../isoTree.ts';
import type { RandomAccess } from '../overlay.ts';

const KERNEL = 'images/pxeboot/vmlinuz';
/** Bytes of the kernel that hold the headers of either format. */
const HEADERS = 1024;

/** The machine field of PE, which kernels for EFI begin with. */
const PE_MACHINES: ReadonlyMap<number, Architecture> = new Map([
  [0x8664, 'x86_64'],
  [0xaa64, 'aarch64'],
]);
/** The machine field of ELF. */
const ELF_MACHINES: ReadonlyMap<number, Architecture> = new Map([
  [21, 'ppc64le'],
  [22, 's390x'],
  [62, 'x86_64'],
  [183, 'aarch64'],
]);
/** Files that only images of one architecture have; the first that is there counts. */
const SIGNS: readonly (readonly [path: string, architecture: Architecture])[] = [
  ['images/cdboot.img', 's390x'],
  ['isolinux', 'x86_64'],
  ['boot/grub', 'ppc64le'],
  ['EFI', 'aarch64'],
];

/** Undefined where nothing on the image tells. */
export async function findArchitecture(
  image: RandomAccess,
  tree: IsoTree,
): Promise<Architecture | undefined> {
  const kernel = await tree.find(KERNEL);
  const length = Math.min(kernel?.size ?? 0, HEADERS, image.size - (kernel?.offset ?? 0));
  if (kernel?.kind === 'file' && length > 0) {
    const found = kernelArchitecture(await image.read(kernel.offset, length));
    if (found !== undefined) return found;
  }
  for (const [path, architecture] of SIGNS) {
    if ((await tree.find(path)) !== undefined) return architecture;
  }
  return undefined;
}

/** By the headers that a kernel begins with; undefined for other bytes. */
export function kernelArchitecture(head: Uint8Array): Architecture | undefined {
  const bytes = Buffer.from(head.buffer, head.byteOffset, head.byteLength);
  const mark = bytes.toString('latin1', 0, 4);
  if (mark === '\x7fELF') return ELF_MACHINES.get(uint16(bytes, 18));
  if (!mark.startsWith('MZ') || bytes.length < 64) return undefined;
  const header = bytes.readUInt32LE(60);
  const isPe = bytes.toString('latin1', header, header + 4) === 'PE\0\0';
  return isPe ? PE_MACHINES.get(uint16(bytes, header + 4)) : undefined;
}

/** In little-endian order, which all of these but s390x have; -1 behind the end. */
function uint16(bytes: Buffer, offset: number): number {
  return offset + 2 > bytes.length ? -1 : bytes.readUInt16LE(offset);
}
