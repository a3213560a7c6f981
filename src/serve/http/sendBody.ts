/** The body of an answer: from the bytes of a resource into the connection, as fast as the client takes them. */

import type { ServerResponse } from 'node:http';
import type { ByteRange } from '../../image/overlay.ts';
import type { BodyPart } from '../answer/answer.ts';
import type { ResourceBytes } from '../answer/resource.ts';
import { type ClientConnection, watchClient } from './clientConnection.ts';

export interface Sending {
  /** Has its status and its headers, among them `Content-Length`. */
  readonly response: ServerResponse;
  /** The caller closes it. After `sendBody` has ended, nothing reads from it. */
  readonly source: Pick<ResourceBytes, 'readInto'>;
  readonly parts: readonly BodyPart[];
  readonly buffers: BufferPool;
  /** Called for each range of the resource that the kernel has accepted. */
  readonly sent: (range: ByteRange) => void;
  /**
   * Milliseconds without progress after which the client is disconnected. The kernel reports progress only when a third of
   * its buffer is free, which may be more than 1 MiB: a value below a minute disconnects clients that are only slow.
   */
  readonly idleTimeout: number;
}

/**
 * Resolves when the kernel has the whole response.
 * @throws ClientGone, and whatever reading throws. The connection is closed then, as the client counts on more bytes;
 *   only if no header has been sent (`headersSent`) another answer can be given.
 */
export async function sendBody(sending: Sending): Promise<void> {
  const { response, parts } = sending;
  const client = watchClient(response, sending.idleTimeout);
  try {
    await client.turn();
    for (const part of parts) {
      if (part.kind === 'text') await client.write(part.bytes);
      else await sendRange(sending, client, part.range);
    }
    await client.end();
  } catch (error) {
    if (response.headersSent) response.destroy();
    throw error;
  } finally {
    client.release();
  }
}

async function sendRange(
  { source, buffers, sent }: Sending,
  client: ClientConnection,
  { offset, length }: ByteRange,
): Promise<void> {
  const end = offset + length;
  const small = buffers.borrowSmall();
  const pending: FilledBuffer[] = [];
  const readAt = (start: number, buffer: Uint8Array): void => {
    const range = { offset: start, length: Math.min(buffer.length, end - start) };
    const filled = source.readInto(buffer.subarray(0, range.length), start);
    filled.catch(() => undefined); // rethrown where it is awaited; until then, it would be an unhandled rejection
    pending.push({ buffer, range, filled });
  };
  let takenFast = 0;
  try {
    for (let position = offset; position < end;) {
      const isFast = takenFast >= KERNEL_BUFFERS;
      if (pending.length === 0) readAt(position, (isFast ? buffers.borrowLarge() : undefined) ?? small);
      const [current] = pending;
      if (current === undefined) return;
      await current.filled;
      position += current.range.length;
      const spare = isFast && position < end ? buffers.borrowSpare() : undefined;
      if (spare !== undefined) readAt(position, spare); // while the client takes what has been read
      const began = performance.now();
      await client.write(current.buffer.subarray(0, current.range.length));
      takenFast = performance.now() - began < FAST ? takenFast + current.range.length : 0;
      sent(current.range);
      pending.shift();
      if (current.buffer !== small) buffers.giveBack(current.buffer);
    }
  } finally {
    await Promise.allSettled(pending.map(({ filled }) => filled));
    for (const { buffer } of pending) if (buffer !== small) buffers.giveBack(buffer);
    buffers.giveBack(small);
  }
}

interface FilledBuffer {
  readonly buffer: Uint8Array;
  /** What of the resource is in it, once `filled` has resolved. */
  readonly range: ByteRange;
  readonly filled: Promise<void>;
}

/** Milliseconds in which a fast client takes a buffer. */
const FAST = 50;
/**
 * Bytes that a client takes without a slow write before it gets large buffers. The kernels of both sides take fewer for a
 * client that reads nothing, and fewer at a time for one that reads slowly.
 */
const KERNEL_BUFFERS = 8 * 1024 * 1024;

/** Bytes of a large buffer. With a quarter of it, reading and writing take a quarter more of the processor. */
const LARGE_SIZE = 1024 * 1024;
/** Bytes of a small one, which every transfer has. */
const SMALL_SIZE = 32 * 1024;
/** Small buffers that are kept: 2 MiB, as thousands of clients may have one at the same time. */
const MAX_FREE_SMALL = 64;

/** Buffers that all transfers share and that are used again, as the garbage collector would free them too late. */
export interface BufferPool {
  borrowSmall(): Uint8Array;
  /** `undefined`: all are borrowed. */
  borrowLarge(): Uint8Array | undefined;
  /** A large one while more than half of them are free, so that other transfers get their first one. */
  borrowSpare(): Uint8Array | undefined;
  /** Takes back a borrowed buffer that nothing reads or writes any more. */
  giveBack(buffer: Uint8Array): void;
  /** Bytes that are borrowed now. */
  readonly borrowed: number;
}

/** @param limit number of large buffers */
export function createBufferPool(limit = 16): BufferPool {
  const free: Uint8Array[] = [];
  const freeSmall: Uint8Array[] = [];
  let large = 0;
  let borrowed = 0;
  const lend = (buffer: Uint8Array): Uint8Array => {
    borrowed += buffer.length;
    return buffer;
  };
  const borrowLarge = (): Uint8Array | undefined => {
    const kept = free.pop();
    if (kept !== undefined) return lend(kept);
    if (large === limit) return undefined;
    large++;
    return lend(Buffer.allocUnsafeSlow(LARGE_SIZE));
  };
  return {
    borrowSmall: () => lend(freeSmall.pop() ?? Buffer.allocUnsafeSlow(SMALL_SIZE)),
    borrowLarge,
    borrowSpare: () => (large - free.length < limit / 2 ? borrowLarge() : undefined),
    giveBack: (buffer) => {
      borrowed -= buffer.length;
      if (buffer.length === LARGE_SIZE) free.push(buffer);
      else if (freeSmall.length < MAX_FREE_SMALL) freeSmall.push(buffer);
    },
    get borrowed() {
      return borrowed;
    },
  };
}
