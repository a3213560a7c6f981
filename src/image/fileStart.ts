/** The first bytes of a file, unpacked: what is in it is known by them. */

import { FormatError } from '../core/errors.ts';
import { ByteReader } from '../formats/byteReader.ts';
import { compressionAt, unpackMember } from '../formats/compression.ts';
import type { Compression } from '../formats/compressionFormat.ts';
import { sourceOfImage } from './initrd.ts';
import type { RandomAccess } from './overlay.ts';

/** Bytes of an image that its kind is in, unless it is an ISO. */
const HEAD = 1024;

/** The start of a file, unpacked. */
export interface FileStart {
  readonly format: Compression;
  /** No bytes if the data cannot be unpacked. */
  readonly head: Buffer;
}

/** Unpacks only the first bytes, whatever size the compressed data state. */
export async function readStart(image: RandomAccess): Promise<FileStart> {
  const reader = new ByteReader('compressed', sourceOfImage(image));
  const format = await compressionAt(reader);
  if (format === 'none')
    return { format, head: Buffer.from(await image.read(0, Math.min(HEAD, image.size))) };
  const pieces: Uint8Array[] = [];
  let length = 0;
  try {
    for await (const piece of unpackMember(format, reader, Infinity)) {
      pieces.push(Uint8Array.from(piece.subarray(0, HEAD)));
      length += piece.length;
      if (length >= HEAD) break;
    }
  } catch (error) {
    if (!(error instanceof FormatError)) throw error; // damaged data are reported when all of it is read
  }
  return { format, head: Buffer.concat(pieces) };
}
