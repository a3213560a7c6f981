/** An archive of container images by itself, checked as `--agent-archive` checks it. */

import { archiveMemory } from '../agent/archiveMemory.ts';
import { FormatError } from '../core/errors.ts';
import { type ByteInput, hasMore, inputOf, refill } from '../formats/byteFeed.ts';
import { detectCompression, MAX_MAGIC, unpackMember } from '../formats/compression.ts';
import { type ContainerArchive, readContainerArchive } from '../formats/containerArchive.ts';
import { sourceOfImage } from '../image/initrd.ts';
import type { MemoryPart } from '../image/inspection/memoryNeed.ts';
import type { RandomAccess } from '../image/overlay.ts';

export interface ImageArchive extends ContainerArchive {
  readonly kind: 'container-archive';
  /** What it takes of a host that fetches it, beside the live system; empty where it has several images. */
  readonly memory: readonly MemoryPart[];
}

/**
 * Undefined for what is no tar archive.
 * @throws FormatError, going on from the name of the file, for one without container images, or a damaged one
 */
export async function inspectImageArchive(file: RandomAccess): Promise<ImageArchive | undefined> {
  if (!(await isTar(file))) return undefined;
  const content = await readContainerArchive(sourceOfImage(file));
  const [image, ...others] = content.images;
  const isOne = image !== undefined && others.length === 0;
  return {
    kind: 'container-archive',
    ...content,
    memory: isOne ? archiveMemory(content, image, { url: '' }) : [],
  };
}

/** Where a header of every usual form says so (POSIX.1, ustar). */
const MARK = { offset: 257, text: 'ustar' };
const HEAD = 512;

async function isTar(file: RandomAccess): Promise<boolean> {
  const { offset, text } = MARK;
  const head = Buffer.from(await startOf(file));
  return head.toString('latin1', offset, offset + text.length) === text;
}

/** The first bytes, unpacked where they are compressed; none where they cannot be. */
async function startOf(file: RandomAccess): Promise<Uint8Array> {
  const input = inputOf('compressed', sourceOfImage(file));
  while (input.feed.available < MAX_MAGIC && !input.feed.ended) await refill(input);
  const format = detectCompression(input.feed.bytes, input.feed.index);
  if (format === 'none') return file.read(0, Math.min(HEAD, file.size));
  return firstPiece(format, input);
}

async function firstPiece(
  format: Exclude<ReturnType<typeof detectCompression>, 'none'>,
  input: ByteInput,
): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  let length = 0;
  try {
    if (!(await hasMore(input))) return new Uint8Array();
    for await (const piece of unpackMember(format, input, { maxBytes: MAX_LOOK, streams: { left: 1 } })) {
      pieces.push(Uint8Array.from(piece.subarray(0, HEAD)));
      length += piece.length;
      if (length >= HEAD) break;
    }
  } catch (error) {
    if (!(error instanceof FormatError)) throw error;
  }
  return Buffer.concat(pieces);
}

/** Bytes that may have to be unpacked before the first come out. */
const MAX_LOOK = 64 * 1024 * 1024;
