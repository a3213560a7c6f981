/**
 * The memory of all transfers: small buffers, one for each, and blocks of 1 MiB, which transfers of the same bytes share. When
 * many machines boot the same root filesystem, each block of it is read once, also for the ISOs of different hosts.
 */

import { type ByteRange, type ImageBytes, type Origin } from '../../image/overlay.ts';

/** A block in memory. The bytes do not change until it is given back. */
export interface Block {
  readonly bytes: Uint8Array;
  /** Rejects with what reading throws. */
  readonly filled: Promise<void>;
  /** To be called once for each `borrow`. Resolves when nothing writes into the block any more. */
  giveBack(): Promise<void>;
}

export type BlockPool = Readonly<ReturnType<typeof createBlockPool>>;

/** Bytes of a block. With a quarter of it, reading and writing take a quarter more of the processor. */
export const BLOCK = 1024 * 1024;
/** Bytes of a small buffer. */
const SMALL = 32 * 1024;
/** Small buffers that are kept: 2 MiB, as thousands of clients may have one at the same time. */
const MAX_FREE_SMALL = 64;

interface PooledBlock extends Block {
  readonly origin: Origin;
  readonly memory: Uint8Array;
  users: number;
  isFailed: boolean;
}

/** @param limit number of blocks. All stay in memory, as the garbage collector would free them too late. */
export function createBlockPool(limit = 8) {
  const freeSmall: Uint8Array[] = [];
  let borrowedSmall = 0;
  const blocks = new Set<PooledBlock>(); // least recently borrowed first
  const inUse = new Set<Block>();

  const find = ({ source, offset }: Origin, length: number): PooledBlock | undefined =>
    [...blocks].find(
      ({ bytes, isFailed, origin }) =>
        origin.source === source && origin.offset === offset && bytes.length === length && !isFailed,
    );
  const isUnused = (block: Block): boolean => !inUse.has(block);
  /**
   * That of an unused block, or new memory. Of the blocks that were borrowed last, two for each transfer: memory that is used
   * again soon is still in the cache of the processor.
   */
  const takeMemory = (): Uint8Array | undefined => {
    const known = [...blocks];
    const most = Math.min(limit, Math.max(2, (2 * borrowedSmall) / SMALL));
    const recent = known.length < most ? undefined : known.slice(-most).find(isUnused);
    if (recent === undefined && known.length < limit) return Buffer.allocUnsafeSlow(BLOCK);
    const taken = recent ?? known.find(isUnused);
    if (taken !== undefined) blocks.delete(taken);
    return taken?.memory;
  };
  const read = (
    source: ImageBytes,
    { offset, length }: ByteRange,
    origin: Origin,
  ): PooledBlock | undefined => {
    const memory = takeMemory();
    if (memory === undefined) return undefined;
    const bytes = memory.subarray(0, length);
    const filled = source.readInto(bytes, offset);
    const block: PooledBlock = {
      origin,
      memory,
      bytes,
      filled,
      users: 0,
      isFailed: false,
      giveBack: async () => {
        await filled.catch(() => undefined);
        block.users--;
        if (block.users === 0) inUse.delete(block);
      },
    };
    filled.catch(() => {
      block.isFailed = true; // thrown where `filled` is awaited; the next transfer reads again
    });
    return block;
  };
  const borrow = (source: ImageBytes, position: number, readable: number): Block | undefined => {
    const offset = position - (position % BLOCK);
    const range = { offset, length: Math.min(BLOCK, source.size - offset) }; // the last block is shorter
    const origin = source.origin(range);
    const block =
      find(origin, range.length) ?? (inUse.size < readable ? read(source, range, origin) : undefined);
    if (block === undefined) return undefined;
    block.users++;
    inUse.add(block);
    blocks.delete(block);
    blocks.add(block);
    return block;
  };
  return {
    borrowSmall: (): Uint8Array => {
      borrowedSmall += SMALL;
      return freeSmall.pop() ?? Buffer.allocUnsafeSlow(SMALL);
    },
    giveBackSmall: (buffer: Uint8Array): void => {
      borrowedSmall -= SMALL;
      if (freeSmall.length < MAX_FREE_SMALL) freeSmall.push(buffer);
    },
    /** The block that contains `position`. Undefined if other transfers use all blocks. */
    borrow: (source: ImageBytes, position: number): Block | undefined => borrow(source, position, limit),
    /** The same, but a block that is not in memory is read only while others use fewer than half of the blocks. */
    borrowAhead: (source: ImageBytes, position: number): Block | undefined =>
      borrow(source, position, limit / 2),
    /** Bytes that are borrowed now; a shared block counts once. */
    get borrowed(): number {
      return borrowedSmall + inUse.size * BLOCK;
    },
  };
}
