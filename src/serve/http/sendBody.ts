/** The body of an answer: from the bytes of a resource into the connection, as fast as the client takes them. */

import type { ServerResponse } from 'node:http';
import type { ByteRange } from '../../image/overlay.ts';
import type { BodyPart } from '../answer/answer.ts';
import type { ResourceBytes } from '../answer/resource.ts';
import { type ClientConnection, watchClient } from './clientConnection.ts';

export interface Sending {
  /** Has its status and its headers, among them `Content-Length`. */
  readonly response: ServerResponse;
  /** Whoever opened it closes it: nothing reads from it any more when `sendBody` has ended in whatever way. */
  readonly source: Pick<ResourceBytes, 'readInto'>;
  readonly parts: readonly BodyPart[];
  readonly buffers: BufferPool;
  /** Is told each stretch of the resource that the kernel has taken. */
  readonly sent: (range: ByteRange) => void;
  /**
   * Milliseconds without progress, after which the client is cut off. The kernel tells of progress only when a third of its
   * buffer has become free, which may be more than 1 MiB: with less than a minute, clients are cut off that are only slow.
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
  sending: Sending,
  client: ClientConnection,
  { offset, length }: ByteRange,
): Promise<void> {
  const end = offset + length;
  const pending: FilledBuffer[] = [];
  let size: BufferSize = 'small';
  const readAt = (start: number): void => {
    if (start < end) pending.push(startReading(sending, { offset: start, length: end - start }, size));
  };
  try {
    readAt(offset);
    for (let [current] = pending; current !== undefined; [current] = pending) {
      await current.filled;
      readAt(current.range.offset + current.range.length); // while the client takes what has been read
      const began = performance.now();
      await client.write(current.buffer.subarray(0, current.range.length));
      const taken = current.range.offset + current.range.length - offset;
      size = taken >= KERNEL_BUFFERS && performance.now() - began < FAST ? 'large' : 'small';
      sending.sent(current.range);
      pending.shift();
      sending.buffers.giveBack(current.buffer);
    }
  } finally {
    await Promise.allSettled(pending.map(({ filled }) => filled));
    for (const { buffer } of pending) sending.buffers.giveBack(buffer);
  }
}

interface FilledBuffer {
  readonly buffer: Uint8Array;
  /** What of the resource is in it, once `filled` has resolved. */
  readonly range: ByteRange;
  readonly filled: Promise<void>;
}

/** Reads as much from the start of the range as one buffer holds. */
function startReading(
  { source, buffers }: Sending,
  { offset, length }: ByteRange,
  size: BufferSize,
): FilledBuffer {
  const buffer = buffers.borrow(size);
  const range = { offset, length: Math.min(buffer.length, length) };
  const filled = source.readInto(buffer.subarray(0, range.length), offset);
  filled.catch(() => undefined); // is rethrown where it is awaited; until then nobody listens
  return { buffer, range, filled };
}

/** Milliseconds in which a fast client takes a buffer; one that takes its time holds small ones meanwhile. */
const FAST = 50;
/** Bytes that the kernels of both sides take at once, however slow the client is. */
const KERNEL_BUFFERS = 8 * 1024 * 1024;

/** Bytes of large buffers, which are kept. */
const LARGE_SIZE = 256 * 1024;
/** Bytes of small ones. */
const SMALL_SIZE = 32 * 1024;

type BufferSize = 'large' | 'small';

export interface BufferPool {
  /** A small one where there are no more large ones. */
  borrow(size: BufferSize): Uint8Array;
  /** Takes back a borrowed buffer that nothing reads or writes any more. */
  giveBack(buffer: Uint8Array): void;
  /** Bytes that are borrowed now. */
  readonly borrowed: number;
}

/** @param limit number of large buffers, by default 24 MiB in all */
export function createBufferPool(limit = 96): BufferPool {
  const free: Uint8Array[] = [];
  let pooled = 0;
  let borrowed = 0;
  const large = (): Uint8Array | undefined => {
    if (free.length > 0 || pooled === limit) return free.pop();
    pooled++;
    return Buffer.allocUnsafeSlow(LARGE_SIZE);
  };
  return {
    borrow: (size) => {
      const buffer = (size === 'large' ? large() : undefined) ?? Buffer.allocUnsafeSlow(SMALL_SIZE);
      borrowed += buffer.length;
      return buffer;
    },
    giveBack: (buffer) => {
      borrowed -= buffer.length;
      if (buffer.length === LARGE_SIZE) free.push(buffer);
    },
    get borrowed() {
      return borrowed;
    },
  };
}
