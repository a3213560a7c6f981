/** A cpio archive read at once. */

import { ByteReader, sourceOfBytes } from '../../src/formats/byteReader.ts';
import { walkCpio } from '../../src/formats/cpio.ts';

export interface CpioMember {
  readonly path: string;
  readonly mode: number;
  readonly data: Uint8Array;
}

/** `end` is the offset of the first byte after the trailer and its padding. */
export async function readCpio(
  bytes: Uint8Array,
  offset = 0,
): Promise<{ readonly members: readonly CpioMember[]; readonly end: number }> {
  const reader = new ByteReader('cpio', sourceOfBytes(bytes.subarray(offset)), offset);
  const members: CpioMember[] = [];
  for await (const { path, mode, data } of walkCpio(reader, () => true)) {
    if (data !== undefined) members.push({ path, mode, data });
  }
  return { members, end: reader.offset };
}
