/**
 * El Torito boot catalogue: which images firmware loads. Writes what live images have, one BIOS entry and one EFI entry
 * without emulation; leaves out floppy and disk emulation and selection criteria.
 */

import { SECTOR, viewOf } from './fields.ts';

/** An image to boot: where it starts, and how many blocks of 512 bytes the firmware loads. */
export interface BootImage {
  readonly platform: 'bios' | 'efi';
  readonly sector: number;
  readonly blocks: number;
}

const ENTRY = 32;
const PLATFORM_ID = { bios: 0, efi: 0xef } as const;
const BOOTABLE = 0x88;
const LAST_SECTION = 0x91;
const MORE_SECTIONS = 0x90;

/** One sector. The first image becomes the default entry, every other one a section of its own. */
export function writeBootCatalog(images: readonly BootImage[]): Uint8Array {
  const catalog = new Uint8Array(SECTOR);
  const view = viewOf(catalog);
  const [first, ...others] = images;
  if (first === undefined) return catalog;
  catalog.set([1, PLATFORM_ID[first.platform]], 0);
  catalog.set([0x55, 0xaa], 30);
  view.setUint16(28, checksum(view), true);
  writeEntry(view, ENTRY, first);
  others.forEach((image, index) => {
    const header = ENTRY * (2 + index * 2);
    const isLast = index === others.length - 1;
    catalog.set([isLast ? LAST_SECTION : MORE_SECTIONS, PLATFORM_ID[image.platform], 1, 0], header);
    writeEntry(view, header + ENTRY, image);
  });
  return catalog;
}

function writeEntry(view: DataView, offset: number, { sector, blocks }: BootImage): void {
  view.setUint8(offset, BOOTABLE);
  // Firmware takes zero for all that follows.
  view.setUint16(offset + 6, blocks > 0xffff ? 0 : blocks, true);
  view.setUint32(offset + 8, sector, true);
}

/** All words of the validation entry add up to zero. */
function checksum(view: DataView): number {
  let sum = 0;
  for (let offset = 0; offset < ENTRY; offset += 2) sum += view.getUint16(offset, true);
  return -sum & 0xffff;
}
