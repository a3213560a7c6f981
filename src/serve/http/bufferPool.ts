/**
 * The buffers that bodies are sent from: a transfer has two, as one is filled while the other is sent. They are used again:
 * freed ones would wait for the garbage collector. Smaller ones take more CPU time, larger ones do not take less.
 */

/** Bytes of the buffers of the pool. */
const POOLED_SIZE = 256 * 1024;
/** Bytes of the buffers beyond. */
const SMALL_SIZE = 32 * 1024;

export interface BufferPool {
  borrow(): Uint8Array;
  /** Takes back a borrowed buffer that nothing reads or writes any more. */
  giveBack(buffer: Uint8Array): void;
  /** Bytes that are borrowed now. */
  readonly borrowed: number;
}

/** @param limit number of large buffers, by default 24 MiB in all; further ones are small, and are not kept. */
export function createBufferPool(limit = 96): BufferPool {
  const free: Uint8Array[] = [];
  let pooled = 0;
  let borrowed = 0;
  const create = (): Uint8Array => {
    if (pooled === limit) return Buffer.allocUnsafeSlow(SMALL_SIZE);
    pooled++;
    return Buffer.allocUnsafeSlow(POOLED_SIZE);
  };
  return {
    borrow: () => {
      const buffer = free.pop() ?? create();
      borrowed += buffer.length;
      return buffer;
    },
    giveBack: (buffer) => {
      borrowed -= buffer.length;
      if (buffer.length === POOLED_SIZE) free.push(buffer);
    },
    get borrowed() {
      return borrowed;
    },
  };
}
