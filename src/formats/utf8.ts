/** UTF-8 in bytes. */

import { FormatError } from '../core/errors.ts';

/** Length of the character at `at` in bytes; 0 for an invalid sequence (Unicode 3.9, table 3-7). */
export function sequenceLength(bytes: Buffer, at: number, end: number): number {
  const first = bytes[at] ?? 0;
  if (first < 0x80) return 1;
  const length = first < 0xc2 || first > 0xf4 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
  if (length === 0 || at + length > end) return 0;
  const second = bytes[at + 1] ?? 0;
  const lowest = first === 0xe0 ? 0xa0 : first === 0xf0 ? 0x90 : 0x80;
  const highest = first === 0xed ? 0x9f : first === 0xf4 ? 0x8f : 0xbf;
  if (second < lowest || second > highest) return 0;
  for (let index = at + 2; index < at + length; index += 1) {
    if (((bytes[index] ?? 0) & 0xc0) !== 0x80) return 0;
  }
  return length;
}

/**
 * The text, without a byte order mark.
 * @throws FormatError for bytes that are not UTF-8
 */
export function decodeUtf8(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    throw new FormatError('it is not UTF-8', { hint: 'save the file as UTF-8', cause: error });
  }
}
