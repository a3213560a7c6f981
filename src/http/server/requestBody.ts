/**
 * Request bodies, for services that accept them. The size is limited per request, and in total for all requests, as clients
 * may start any number of large requests and never finish them. The server limits the time (`requestTime`).
 */

import type { IncomingMessage, ServerResponse } from 'node:http';

/** Limits the total bytes of all request bodies. */
export class BodyMemory {
  #free: number;

  constructor(limit: number) {
    this.#free = limit;
  }

  /** Reserves so many bytes; false if the limit is reached. */
  take(size: number): boolean {
    if (size > this.#free) return false;
    this.#free -= size;
    return true;
  }

  giveBack(size: number): void {
    this.#free += size;
  }
}

export type RequestBody =
  | { readonly kind: 'whole'; readonly bytes: Uint8Array }
  /** Larger than the limit. */
  | { readonly kind: 'too-large' }
  /** The memory limit for all requests is reached. */
  | { readonly kind: 'no-memory' }
  /** The client disconnected or timed out before the end of the body. */
  | { readonly kind: 'cut' };

/**
 * Reads the body, after 100 Continue for clients that wait for it. The memory stays reserved until the request is answered.
 * `sendLastAnswer` discards the rest of a body that was not read to its end. Never rejects.
 * @param limit bytes
 */
export async function readRequestBody(
  request: IncomingMessage,
  response: ServerResponse,
  limit: number,
  memory: BodyMemory,
): Promise<RequestBody> {
  if (Number(request.headers['content-length'] ?? 0) > limit) return { kind: 'too-large' };
  if (waitsToSend(request)) {
    continued.add(request);
    response.writeContinue();
  }
  // One growing buffer, as a list of parts would use a hundred times the memory if each part has one byte.
  let buffer = Buffer.alloc(0);
  let length = 0;
  try {
    for await (const part of request.iterator({ destroyOnReturn: false })) {
      if (!(part instanceof Uint8Array)) continue;
      const wanted = length + part.length;
      if (wanted > limit) return { kind: 'too-large' };
      if (wanted > buffer.length) {
        const size = Math.min(limit, Math.max(FIRST_SIZE, 2 ** Math.ceil(Math.log2(wanted))));
        if (!memory.take(size - buffer.length)) return { kind: 'no-memory' };
        const larger = Buffer.allocUnsafeSlow(size);
        buffer.copy(larger, 0, 0, length);
        buffer = larger;
      }
      buffer.set(part, length);
      length = wanted;
    }
    return { kind: 'whole', bytes: buffer.subarray(0, length) };
  } catch {
    return { kind: 'cut' };
  } finally {
    const giveBack = (): void => memory.giveBack(buffer.length);
    if (request.complete && !response.closed) response.once('close', giveBack);
    else giveBack();
  }
}

const FIRST_SIZE = 64 * 1024;

/** Requests that were answered with 100 Continue. */
const continued = new WeakSet<IncomingMessage>();

/** Whether the client sends the body only after 100 Continue (RFC 9110, section 10.1.1). */
function waitsToSend({ headers }: IncomingMessage): boolean {
  return headers.expect?.toLowerCase() === '100-continue';
}

/** How much of an unwanted body is discarded, so that the client gets to read the answer. */
const LINGER = { bytes: 4 * 1024 * 1024, milliseconds: 1000 };

/**
 * Sends an answer and then closes the connection, even if the client still sends data. Some data is discarded first: if the
 * connection closed immediately, the client could lose the answer.
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
  const isSending = !waitsToSend(request) || continued.has(request);
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
