/**
 * What the .xz container is made of (xz file format 1.2.1, sections 2 to 4), for the decoder and the encoder.
 * One filter only, LZMA2: initramfs archives and images use no other, and the others (BCJ, delta) are refused by name.
 */

import { CHECK_IDS, uint32Bytes, type IntegrityCheck } from './checks.ts';

export const STREAM_MAGIC = Uint8Array.of(0xfd, 0x37, 0x7a, 0x58, 0x5a, 0x00);
export const FOOTER_MAGIC = Uint8Array.of(0x59, 0x5a);
export const LZMA2_FILTER = 0x21;

/** Names of the filters that are not supported (sections 5.3.2 and 5.3.3). */
export const OTHER_FILTERS: Readonly<Record<number, string>> = {
  0x03: 'delta',
  0x04: 'BCJ x86',
  0x05: 'BCJ PowerPC',
  0x06: 'BCJ IA-64',
  0x07: 'BCJ ARM',
  0x08: 'BCJ ARM Thumb',
  0x09: 'BCJ SPARC',
  0x0a: 'BCJ ARM64',
  0x0b: 'BCJ RISC-V',
};

/** Sizes of a block as the index lists them, in bytes. */
export interface BlockRecord {
  /** Header, compressed data and check, without padding. */
  readonly unpaddedSize: number;
  readonly uncompressedSize: number;
}

/** Bytes that fill `size` up to a multiple of four. */
export function paddingOf(size: number): number {
  return -size & 3;
}

/** The stream flags (section 2.1.1.2). */
export function streamFlags(check: IntegrityCheck): Uint8Array {
  return Uint8Array.of(0, CHECK_IDS[check]);
}

/** What the CRC of the stream footer covers (section 2.1.2). */
export function footerContent(check: IntegrityCheck, indexSize: number): Uint8Array {
  return Buffer.concat([uint32Bytes(indexSize / 4 - 1), streamFlags(check)]);
}

/** Dictionary size in bytes for its code in a block header (section 5.3.1), 0 to 40. */
export function dictionarySize(code: number): number {
  return code === 40 ? 0xffff_ffff : (2 + (code & 1)) * 2 ** ((code >> 1) + 11);
}

/** The code of the smallest dictionary that holds `size` bytes. */
export function dictionaryCode(size: number): number {
  let code = 0;
  while (dictionarySize(code) < size) code++;
  return code;
}
