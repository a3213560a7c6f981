/** Request bodies, for services that accept them. The server limits the time (`requestTime`). */

import type { IncomingMessage, ServerResponse } from 'node:http';
import { readAll } from '../../io/files/files.ts';

/** `cut`: the client disconnected or timed out before the end of the body. */
export type RequestBody = Uint8Array | 'cut' | 'too-large';

/**
 * Reads the body, after 100 Continue for clients that wait for it (RFC 9110, section 10.1.1). Never rejects.
 * @param limit bytes
 */
export async function readRequestBody(
  request: IncomingMessage,
  response: ServerResponse,
  limit: number,
): Promise<RequestBody> {
  const { headers } = request;
  if (Number(headers['content-length'] ?? 0) > limit) return 'too-large';
  if (headers.expect?.toLowerCase() === '100-continue') response.writeContinue();
  const tooLarge = new Error('too large');
  try {
    return await readAll(request.iterator({ destroyOnReturn: false }), limit, () => tooLarge);
  } catch (error) {
    return error === tooLarge ? 'too-large' : 'cut';
  }
}
