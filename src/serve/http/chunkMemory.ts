/**
 * The memory that all transfers share: one region, lent out in pieces of powers of two, which are split and joined again
 * (a buddy system). It is bounded so, and what a transfer gives back is at once of use to any other; buffers that come and
 * go would wait for the garbage collector.
 */

/** Bytes of the smallest piece. */
export const LEAST_CHUNK = 16 * 1024;
/** Bytes of the largest one. */
export const LARGEST_CHUNK = 1024 * 1024;

export interface ChunkMemory {
  /** At most so many bytes, a power of two and at least LEAST_CHUNK; fewer than wanted where memory is scarce. */
  lend(wanted: number): Uint8Array;
  /** Of what was lent, once, when nobody reads or writes it any more. */
  takeBack(piece: Uint8Array): void;
  /** Bytes that are lent now. */
  readonly lent: number;
}

/** One piece may take this share of what is free, so that a few that hold much leave something to all others. */
const share = 1 / 8;

/**
 * @param limit bytes, of which full mebibytes are used. The system gives the memory when it is touched first. Where nothing
 *   is left of it, each transfer still gets the smallest piece from elsewhere: bound their number, too.
 */
export function createChunkMemory(limit: number): ChunkMemory {
  const blocks = Math.max(1, Math.floor(limit / LARGEST_CHUNK));
  const region = Buffer.allocUnsafeSlow(blocks * LARGEST_CHUNK);
  const free = freeBlocks(blocks);
  let lent = 0;
  const lend = (wanted: number): Uint8Array => {
    const most = Math.max(Math.min(wanted, (region.length - lent) * share, LARGEST_CHUNK), LEAST_CHUNK);
    for (let size = powerOfTwo(most); size >= LEAST_CHUNK; size /= 2) {
      const offset = take(free, size);
      if (offset === undefined) continue;
      lent += size;
      return region.subarray(offset, offset + size);
    }
    lent += LEAST_CHUNK;
    return Buffer.allocUnsafeSlow(LEAST_CHUNK);
  };
  const takeBack = (piece: Uint8Array): void => {
    lent -= piece.length;
    if (piece.buffer === region.buffer) putBack(free, piece.byteOffset - region.byteOffset, piece.length);
  };
  return {
    lend,
    takeBack,
    get lent() {
      return lent;
    },
  };
}

/** The largest one that is not above `value`. */
function powerOfTwo(value: number): number {
  return 2 ** Math.floor(Math.log2(value));
}

/** Offsets of free pieces by their size; what was given back last is the first to be lent, it may still be in a cache. */
type Free = ReadonlyMap<number, number[]>;

function freeBlocks(count: number): Free {
  const free = new Map<number, number[]>();
  for (let size = LEAST_CHUNK; size < LARGEST_CHUNK; size *= 2) free.set(size, []);
  return free.set(
    LARGEST_CHUNK,
    Array.from({ length: count }, (_, index) => index * LARGEST_CHUNK),
  );
}

/** A free piece of this size, split off a larger one if need be. */
function take(free: Free, size: number): number | undefined {
  const offset = free.get(size)?.pop();
  if (offset !== undefined || size === LARGEST_CHUNK) return offset;
  const larger = take(free, size * 2);
  if (larger !== undefined) free.get(size)?.push(larger + size);
  return larger;
}

/** Joins the piece with the other half of what it was split off, as long as that is free. */
function putBack(free: Free, offset: number, size: number): void {
  const pieces = free.get(size) ?? [];
  const otherHalf = offset % (size * 2) === 0 ? offset + size : offset - size;
  const index = size === LARGEST_CHUNK ? -1 : pieces.indexOf(otherHalf);
  if (index < 0) {
    pieces.push(offset);
    return;
  }
  pieces.splice(index, 1);
  putBack(free, Math.min(offset, otherHalf), size * 2);
}
