/**
 * Bodies of requests, for services that take some: up to a size, and within a memory that all requests share, as clients
 * may begin any number of large ones and never end them. Time is limited by the server (`requestTime`).
 */

import type { IncomingMessage, ServerResponse } from 'node:http';

export interface BodyMemory {
  /** Whether so many bytes more may be held. */
  take(size: number): boolean;
  giveBack(size: number): void;
}

/** @param limit bytes of all bodies that are being read */
export function createBodyMemory(limit: number): BodyMemory {
  let held = 0;
  return {
    take: (size) => {
      if (held + size > limit) return false;
      held += size;
      return true;
    },
    giveBack: (size) => {
      held -= size;
    },
  };
}

export type RequestBody =
  | { readonly kind: 'whole'; readonly bytes: Uint8Array }
  /** Larger than the limit. */
  | { readonly kind: 'too-large' }
  /** There is no memory for it now. */
  | { readonly kind: 'no-memory' }
  /** The client went away, or took too long, before all of it was there. */
  | { readonly kind: 'cut' };

export interface BodyLimits {
  /** Bytes. */
  readonly size: number;
  readonly memory: BodyMemory;
}

/**
 * Tells clients that wait for it to go on, and reads. What is whole counts as held until it is answered. What is not read
 * is left to `sendLastAnswer`. Never rejects.
 */
export async function readRequestBody(
  request: IncomingMessage,
  response: ServerResponse,
  { size, memory }: BodyLimits,
): Promise<RequestBody> {
  if (Number(request.headers['content-length'] ?? 0) > size) return { kind: 'too-large' };
  if (waitsToSend(request)) {
    goingOn.add(request);
    response.writeContinue();
  }
  const collected = createGrowingBytes(size, memory);
  try {
    for await (const part of request.iterator({ destroyOnReturn: false })) {
      if (!(part instanceof Uint8Array)) continue;
      const problem = collected.add(part);
      if (problem !== undefined) return { kind: problem };
    }
    return { kind: 'whole', bytes: collected.bytes() };
  } catch {
    return { kind: 'cut' };
  } finally {
    if (request.complete && !response.closed) response.once('close', () => collected.giveBack());
    else collected.giveBack();
  }
}

/** Those that were told to send their bodies. */
const goingOn = new WeakSet<IncomingMessage>();

/** Whether the client sends the body only when it is told to (RFC 9110, section 10.1.1). */
function waitsToSend({ headers }: IncomingMessage): boolean {
  return headers.expect?.toLowerCase() === '100-continue';
}

interface GrowingBytes {
  add(part: Uint8Array): 'too-large' | 'no-memory' | undefined;
  bytes(): Uint8Array;
  giveBack(): void;
}

const FIRST_SIZE = 64 * 1024;

/** One buffer that grows: kept as they come, parts of one byte each would take a hundred times the memory. */
function createGrowingBytes(limit: number, memory: BodyMemory): GrowingBytes {
  let buffer = Buffer.alloc(0);
  let length = 0;
  const grow = (wanted: number): boolean => {
    const size = Math.min(limit, Math.max(FIRST_SIZE, 2 ** Math.ceil(Math.log2(wanted))));
    if (!memory.take(size - buffer.length)) return false;
    const larger = Buffer.allocUnsafeSlow(size);
    buffer.copy(larger, 0, 0, length);
    buffer = larger;
    return true;
  };
  return {
    add: (part) => {
      const wanted = length + part.length;
      if (wanted > limit) return 'too-large';
      if (wanted > buffer.length && !grow(wanted)) return 'no-memory';
      buffer.set(part, length);
      length = wanted;
      return undefined;
    },
    bytes: () => buffer.subarray(0, length),
    giveBack: () => memory.giveBack(buffer.length),
  };
}

/** What is still read of a body that nobody wants, so that the client comes to read its answer. */
const LINGER = { bytes: 4 * 1024 * 1024, milliseconds: 1000 };

/**
 * Sends an answer, then closes the connection, whatever else the client sends. Were it closed at once, the client would
 * lose the answer with it.
 * @param response has its status and headers
 */
export async function sendLastAnswer(
  request: IncomingMessage,
  response: ServerResponse,
  body: string,
): Promise<void> {
  response.shouldKeepAlive = false;
  response.setHeader('Content-Length', Buffer.byteLength(body));
  response.flushHeaders();
  if (request.method !== 'HEAD') response.write(body);
  const isSending = !waitsToSend(request) || goingOn.has(request);
  if (isSending && !request.complete && !request.destroyed) await dismissBody(request, LINGER);
  response.end();
}

async function dismissBody(request: IncomingMessage, { bytes, milliseconds }: typeof LINGER): Promise<void> {
  await new Promise<void>((resolve) => {
    let left = bytes;
    const timer = setTimeout(resolve, milliseconds);
    const stop = (): void => {
      clearTimeout(timer);
      resolve();
    };
    request.on('data', (part: Uint8Array) => {
      left -= part.length;
      if (left <= 0) stop();
    });
    for (const event of ['end', 'error', 'close']) request.once(event, stop);
    request.resume();
  });
  request.pause();
}
