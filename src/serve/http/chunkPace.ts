/** How large the chunks of one transfer are: large ones are fast, small ones cost less memory while a client takes its time. */

import { LARGEST_CHUNK, LEAST_CHUNK } from './chunkMemory.ts';

export interface ChunkPace {
  /** Bytes of the next chunk, a power of two. */
  readonly size: number;
  /** Whether the client takes chunks so fast that the next one should be read meanwhile. */
  readonly readAhead: boolean;
  /** Says how long it took until so many bytes were with the kernel. */
  took(milliseconds: number, bytes: number): void;
}

/** Many requests are for a few sectors, and a client may take nothing at all. */
const firstSize = 64 * 1024;
/** Milliseconds for a chunk; below, the next ones may be larger; a client at 1 Gbit/s takes 1 MiB in 9 ms. */
const prompt = 10;
/** Milliseconds for a chunk; above, the next ones are to be smaller. */
const slow = 100;
/** So many prompt chunks until they grow, */
const promptChunks = 64;
/** but more bytes than the kernel takes for a client that reads nothing: what such a client holds, nobody else can use. */
const leastPrompt = 8 * 1024 * 1024;
/** Bytes of chunks that are worth the memory for a second one. */
const readAheadFrom = 256 * 1024;

export function createChunkPace(): ChunkPace {
  let size = firstSize;
  let promptBytes = 0;
  const took = (milliseconds: number, bytes: number): void => {
    if (milliseconds > slow) {
      size = Math.max(size / 2, LEAST_CHUNK);
      promptBytes = 0;
      return;
    }
    promptBytes = milliseconds < prompt ? promptBytes + bytes : 0;
    if (promptBytes < Math.max(promptChunks * size, leastPrompt)) return;
    size = Math.min(size * 2, LARGEST_CHUNK);
    promptBytes = 0;
  };
  return {
    took,
    get size() {
      return size;
    },
    get readAhead() {
      return size >= readAheadFrom;
    },
  };
}
