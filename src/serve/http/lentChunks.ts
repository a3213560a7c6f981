/** A stretch of a resource in chunks, in memory that is lent; the next one is read while the last one is in use. */

import type { ByteRange } from '../../image/overlay.ts';
import type { ResourceBytes } from '../answer/resource.ts';
import type { ChunkMemory } from './chunkMemory.ts';
import type { ChunkPace } from './chunkPace.ts';

export interface ChunkReading {
  readonly source: Pick<ResourceBytes, 'readInto'>;
  readonly memory: ChunkMemory;
  readonly pace: Pick<ChunkPace, 'size' | 'readAhead'>;
}

/** Bytes and where they stand in the resource. */
export interface LentChunk {
  readonly range: ByteRange;
  /** Only until the next chunk is asked for. */
  readonly bytes: Uint8Array;
}

/** All memory is back, and nothing reads from the source any more, when the generator is done or was left. */
export async function* lentChunks(
  reading: ChunkReading,
  { offset, length }: ByteRange,
): AsyncGenerator<LentChunk, void> {
  const end = offset + length;
  const held: ReadChunk[] = [];
  const readAt = (start: number): void => {
    if (start < end) held.push(startReading(reading, { offset: start, length: end - start }));
  };
  try {
    readAt(offset);
    for (let chunk = held[0]; chunk !== undefined; chunk = held[0]) {
      await chunk.filled;
      const behind = chunk.range.offset + chunk.range.length;
      if (reading.pace.readAhead) readAt(behind);
      yield chunk;
      held.shift();
      reading.memory.takeBack(chunk.piece);
      if (held.length === 0) readAt(behind);
    }
  } finally {
    await Promise.allSettled(held.map(({ filled }) => filled));
    for (const { piece } of held) reading.memory.takeBack(piece);
  }
}

interface ReadChunk extends LentChunk {
  readonly piece: Uint8Array;
  readonly filled: Promise<void>;
}

/** Reads as much from the start of the range as one chunk holds. */
function startReading({ source, memory, pace }: ChunkReading, range: ByteRange): ReadChunk {
  const piece = memory.lend(Math.min(pace.size, range.length));
  const bytes = piece.subarray(0, Math.min(piece.length, range.length));
  const filled = source.readInto(bytes, range.offset);
  filled.catch(() => undefined); // is rethrown where it is awaited; until then nobody listens
  return { range: { offset: range.offset, length: bytes.length }, bytes, piece, filled };
}
