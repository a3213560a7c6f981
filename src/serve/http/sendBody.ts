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
  const readAt = (start: number): void => {
    if (start < end) pending.push(startReading(sending, { offset: start, length: end - start }));
  };
  try {
    readAt(offset);
    for (let [current] = pending; current !== undefined; [current] = pending) {
      await current.filled;
      readAt(current.range.offset + current.range.length); // while the client takes what has been read
      await client.write(current.buffer.subarray(0, current.range.length));
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
function startReading({ source, buffers }: Sending, { offset, length }: ByteRange): FilledBuffer {
  const buffer = buffers.borrow();
  const range = { offset, length: Math.min(buffer.length, length) };
  const filled = source.readInto(buffer.subarray(0, range.length), offset);
  filled.catch(() => undefined); // is rethrown where it is awaited; until then nobody listens
  return { buffer, range, filled };
}

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
