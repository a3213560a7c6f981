/** What lets a BIOS boot an ISO with ISOLINUX: the hybrid MBR for disks, and the boot info table within the boot loader. */

import { FormatError } from '../../core/errors.ts';
import { SYSTEM_AREA_SECTORS, viewOf } from './fields.ts';

// The first sector of an ISO that also boots as a disk: code that loads ISOLINUX, as syslinux' isohybrid installs it, and a
// partition table by which UEFI finds the EFI system partition within the image. No GPT: firmware that reads one from a
// disk reads a partition table as well.

const SIZE = 512;
/** Room for the code; isohdpfx.bin is as long as that. */
const CODE = 432;
const AT = { loader: 432, partitions: 446, signature: 510 } as const;
const PARTITION = 16;
/** Blocks of a disk in a sector of a medium. */
const BLOCKS = 4;
const TYPE = { none: 0, efi: 0xef } as const;
const ACTIVE = 0x80;
/** Cylinder, head and sector with the meaning "use the block number". */
const NO_GEOMETRY = [0xfe, 0xff, 0xff] as const;

interface HybridMbr {
  /** Bytes of the whole image. */
  readonly imageSize: number;
  /** The code and the sector of the loader that it loads. */
  readonly bios?: { readonly code: Uint8Array; readonly loaderSector: number };
  /** The EFI system partition: first sector and bytes. */
  readonly efi?: { readonly sector: number; readonly size: number };
}

export function writeHybridMbr({ imageSize, bios, efi }: HybridMbr): Uint8Array {
  const mbr = new Uint8Array(SIZE);
  const view = new DataView(mbr.buffer);
  if (bios !== undefined) {
    mbr.set(checkedCode(bios.code));
    view.setUint32(AT.loader, bios.loaderSector * BLOCKS, true);
    // The code looks for the active partition. Of type none, since UEFI refuses partitions that overlap.
    writePartition(view, 0, { flag: ACTIVE, type: TYPE.none, start: 0, size: imageSize });
  }
  if (efi !== undefined) {
    writePartition(view, 1, { flag: 0, type: TYPE.efi, start: efi.sector * BLOCKS, size: efi.size });
  }
  view.setUint16(AT.signature, 0xaa55, true);
  return mbr;
}

function checkedCode(code: Uint8Array): Uint8Array {
  const isCode = code.length > 0 && code.length <= SIZE && code.subarray(CODE).every((byte) => byte === 0);
  if (isCode) return code.subarray(0, CODE);
  throw new FormatError(`The MBR code is empty or larger than ${CODE} bytes`, {
    hint: 'use isohdpfx.bin from syslinux',
  });
}

interface Partition {
  readonly flag: number;
  readonly type: number;
  /** Blocks. */
  readonly start: number;
  /** Bytes. */
  readonly size: number;
}

function writePartition(view: DataView, index: number, { flag, type, start, size }: Partition): void {
  const offset = AT.partitions + index * PARTITION;
  view.setUint8(offset, flag);
  view.setUint8(offset + 4, type);
  NO_GEOMETRY.forEach((byte, place) => {
    view.setUint8(offset + 1 + place, byte);
    view.setUint8(offset + 5 + place, byte);
  });
  view.setUint32(offset + 8, start, true);
  view.setUint32(offset + 12, Math.min(Math.ceil(size / SIZE), 0xffff_ffff), true);
}

// The boot info table of mkisofs (`-boot-info-table`): 56 bytes within a BIOS boot loader, by which it finds itself on the
// medium. ISOLINUX and GRUB's eltorito.img do not start without.

const START = 8;
const END = 64;
/** Of the table: the primary volume descriptor, the loader, its length, and the sum of all words behind the table. */
const TABLE_AT = { descriptor: 8, loader: 12, length: 16, checksum: 20 } as const;

/**
 * A copy of the loader with its table filled in.
 * @param sector where the loader is on the image
 */
export function withBootInfoTable(loader: Uint8Array, sector: number): Uint8Array {
  if (loader.length <= END) throw new FormatError('The file is too short to be a BIOS boot loader');
  const patched = Uint8Array.from(loader);
  patched.fill(0, START, END);
  const view = viewOf(patched);
  view.setUint32(TABLE_AT.descriptor, SYSTEM_AREA_SECTORS, true);
  view.setUint32(TABLE_AT.loader, sector, true);
  view.setUint32(TABLE_AT.length, loader.length, true);
  view.setUint32(TABLE_AT.checksum, checksum(patched.subarray(END)), true);
  return patched;
}

/** Of little-endian words; the last one is filled up with zeros. */
function checksum(bytes: Uint8Array): number {
  const padded = new Uint8Array(Math.ceil(bytes.length / 4) * 4);
  padded.set(bytes);
  const view = viewOf(padded);
  let sum = 0;
  for (let offset = 0; offset < padded.length; offset += 4) sum = (sum + view.getUint32(offset, true)) >>> 0;
  return sum;
}
