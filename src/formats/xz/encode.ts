/**
 * Encodes .xz streams that the kernel's decoder reads too: LZMA2 with a dictionary as small as the data allows.
 * Deterministic. Left out: sizes in block headers, compression levels, checks that no one here writes.
 */

import { checkBytes, crc32Bytes } from './checks.ts';
import * as container from './container.ts';
import { encodeLzma2Block } from './lzma2Encoder.ts';

/**
 * One stream with a block for each of `blocks`, which are compressed independently of each other (xz file format
 * 1.2.1). The kernel's decoder knows CRC32 and not CRC64.
 */
export function encodeXz(blocks: readonly Uint8Array[], check: 'crc32' | 'crc64'): Uint8Array {
  const flags = container.streamFlags(check);
  const pieces = [container.STREAM_MAGIC, flags, crc32Bytes(flags)];
  const records: container.BlockRecord[] = [];
  for (const data of blocks) {
    const header = blockHeader(data.length);
    const compressed = encodeLzma2Block(data);
    const checksum = checkBytes(check, data);
    pieces.push(header, compressed, new Uint8Array(container.paddingOf(compressed.length)), checksum);
    records.push({
      unpaddedSize: header.length + compressed.length + checksum.length,
      uncompressedSize: data.length,
    });
  }
  const index = indexOf(records);
  const footer = container.footerContent(check, index.length);
  return Buffer.concat([...pieces, index, crc32Bytes(footer), footer, container.FOOTER_MAGIC]);
}

/** Section 3.1: size of the header, no flags, the one filter with its property, padding. */
function blockHeader(dataLength: number): Uint8Array {
  const code = container.dictionaryCode(dataLength);
  const content = Uint8Array.of(2, 0, container.LZMA2_FILTER, 1, code, 0, 0, 0);
  return Buffer.concat([content, crc32Bytes(content)]);
}

/** Section 4. */
function indexOf(records: readonly container.BlockRecord[]): Uint8Array {
  const sizes = records.flatMap((record) => [record.unpaddedSize, record.uncompressedSize]);
  const fields = Uint8Array.from([0, ...[records.length, ...sizes].flatMap(varint)]);
  const content = Buffer.concat([fields, new Uint8Array(container.paddingOf(fields.length))]);
  return Buffer.concat([content, crc32Bytes(content)]);
}

/** Section 1.2: seven bits a byte, the lowest first. */
function varint(value: number): number[] {
  return value < 0x80 ? [value] : [(value % 0x80) | 0x80, ...varint(Math.floor(value / 0x80))];
}
