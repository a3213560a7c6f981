/** An HTTP server with one image, that behaves or does not, and counts what it is asked. */

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { listenLocally } from './listening.ts';

/** What is odd about the server. */
export type Habit =
  | 'none'
  /** Sends everything, always. */
  | 'no ranges'
  /** Has a new ETag for each answer. */
  | 'changing'
  /** Changes the image when all of it is asked for. */
  | 'changes once'
  /** Says nothing more in the middle of all of it. */
  | 'shorter';

export interface ImageServer {
  /** With a token in its query, which nobody may show. */
  readonly url: string;
  /** What was asked for: ranges, or `all`. */
  readonly requests: readonly string[];
  close(): Promise<void>;
}

export async function serveImage(image: Uint8Array, habit: Habit = 'none'): Promise<ImageServer> {
  const requests: string[] = [];
  let version = 1;
  const server = createServer(({ headers }: IncomingMessage, response: ServerResponse) => {
    const range = habit === 'no ranges' ? undefined : headers.range;
    requests.push(range ?? 'all');
    if (habit === 'changing') version += 1;
    const etag = `"${version}"`;
    const [, start = 0, end = 0] = (/^bytes=(\d+)-(\d+)$/.exec(range ?? '') ?? []).map(Number);
    if (range !== undefined) {
      const part = image.subarray(start, end + 1);
      const where = `bytes ${start}-${start + part.length - 1}/${image.length}`;
      response.writeHead(206, { etag, 'content-range': where }).end(part);
      return;
    }
    if (habit === 'changes once') version += 1;
    const length = habit === 'shorter' ? image.length / 2 : image.length;
    response.writeHead(200, { etag }).end(image.subarray(0, length));
  });
  const port = await listenLocally(server);
  return {
    url: `http://user:hunter2@127.0.0.1:${port}/coreos.iso?token=hunter3`,
    requests,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}
