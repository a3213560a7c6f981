/**
 * The boot info table of mkisofs (`-boot-info-table`): 56 bytes within a BIOS boot loader, by which it finds itself on the
 * medium. ISOLINUX and GRUB's eltorito.img do not start without.
 */

import { FormatError } from '../../core/errors.ts';
import { SYSTEM_AREA_SECTORS, viewOf } from './fields.ts';

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
