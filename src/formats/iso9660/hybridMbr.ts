/**
 * The first sector of an ISO that also boots as a disk: code that loads ISOLINUX, as syslinux' isohybrid installs it, and a
 * partition table by which UEFI finds the EFI system partition within the image. No GPT: firmware that reads one from a disk
 * reads a partition table as well.
 */

import { FormatError } from '../../core/errors.ts';

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

/** `start` counts blocks, `size` bytes. */
function writePartition(
  view: DataView,
  index: number,
  { flag, type, start, size }: Readonly<Record<'flag' | 'type' | 'start' | 'size', number>>,
): void {
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
