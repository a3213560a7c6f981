/** Decoders of compressed data, run on bytes in memory. */

import { ByteReader, sourceOfBytes } from '../../src/formats/byteReader.ts';
import { unpackXz } from '../../src/formats/xz/decode.ts';

export interface Decoded {
  readonly data: Uint8Array;
  /** Offset of the first byte after the compressed data. */
  readonly end: number;
}

/** All that a decoder of streams makes of bytes in memory, from `offset` on. */
export async function decoded(
  unpack: (reader: ByteReader) => AsyncIterable<Uint8Array>,
  bytes: Uint8Array,
  offset = 0,
): Promise<Decoded> {
  const reader = new ByteReader('file', sourceOfBytes(bytes.subarray(offset)), offset);
  const pieces: Uint8Array[] = [];
  for await (const piece of unpack(reader)) pieces.push(Uint8Array.from(piece));
  return { data: Buffer.concat(pieces), end: reader.offset };
}

export const decodeXz = (bytes: Uint8Array, maxBytes: number, offset = 0): Promise<Decoded> =>
  decoded((reader) => unpackXz(reader, maxBytes), bytes, offset);
