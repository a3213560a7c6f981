/** A real HTTP server with files, and with everything that may go wrong between it and whoever downloads them. */

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';

/** What goes wrong with one request; those after it are answered as they should be, or by the next fault. */
export type Fault =
  | { readonly kind: 'status'; readonly status: number; readonly headers?: Readonly<Record<string, string>> }
  /** The connection breaks off after so many bytes of the body. */
  | { readonly kind: 'drop'; readonly after: number }
  /** The body ends early, and the header said so. */
  | { readonly kind: 'short'; readonly length: number }
  /** All bytes, and no header that says how many. */
  | { readonly kind: 'no length' }
  | { readonly kind: 'redirect'; readonly to: string }
  /** A few bytes at a time. */
  | { readonly kind: 'slow' }
  /** Nothing, ever. */
  | { readonly kind: 'silence' }
  /** An answer to a Range request whose Content-Range is of another file. */
  | { readonly kind: 'wrong range' };

export interface ServedFile {
  content: Uint8Array;
  /** Default: `"1"`; undefined for none. */
  etag?: string | undefined;
  faults?: Fault[];
  /** Whether Range is understood; default: true. */
  ranges?: boolean;
}

export interface SeenRequest {
  readonly path: string;
  readonly range: string | undefined;
  readonly authorization: string | undefined;
  readonly host: string | undefined;
}

export interface ImageServer {
  /** `http://127.0.0.1:PORT` */
  readonly origin: string;
  readonly files: Map<string, ServedFile>;
  readonly requests: SeenRequest[];
  readonly close: () => Promise<void>;
}

export async function startImageServer(): Promise<ImageServer> {
  const files = new Map<string, ServedFile>();
  const requests: SeenRequest[] = [];
  const server = createServer((request, response) => {
    const { url = '/', headers } = request;
    // A proxy is asked for the whole URL.
    const path = url.startsWith('http:') ? new URL(url).pathname : url;
    requests.push({
      path: url,
      range: headers.range,
      authorization: headers.authorization,
      host: headers.host,
    });
    const file = files.get(path);
    if (file === undefined) response.writeHead(404).end('not found');
    else answer(file, request, response);
  });
  await listen(server);
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  const close = (): Promise<void> =>
    new Promise((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  return { origin: `http://127.0.0.1:${port}`, files, requests, close };
}

function listen(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
}

function answer(file: ServedFile, request: IncomingMessage, response: ServerResponse): void {
  const { content, ranges = true } = file;
  const etag = 'etag' in file ? file.etag : '"1"';
  const fault = file.faults?.shift();
  if (fault?.kind === 'status') return void response.writeHead(fault.status, fault.headers).end('no');
  if (fault?.kind === 'redirect') return void response.writeHead(302, { location: fault.to }).end();
  if (fault?.kind === 'silence') return;
  const start = ranges ? startOf(request, etag) : 0;
  if (start > 0 && start >= content.length) {
    return void response.writeHead(416, { 'content-range': `bytes */${content.length}` }).end();
  }
  const body = content.subarray(start);
  const total = fault?.kind === 'wrong range' ? content.length + 5 : content.length;
  response.writeHead(start > 0 ? 206 : 200, {
    ...(etag !== undefined && { etag }),
    ...(start > 0 && { 'content-range': `bytes ${start}-${content.length - 1}/${total}` }),
    ...(fault?.kind !== 'no length' && {
      'content-length': String(fault?.kind === 'short' ? fault.length : body.length),
    }),
  });
  send(body, fault, response);
}

function startOf({ headers }: IncomingMessage, etag: string | undefined): number {
  const start = Number(/^bytes=(\d+)-$/.exec(headers.range ?? '')?.[1] ?? 0);
  return headers['if-range'] === undefined || headers['if-range'] === etag ? start : 0;
}

function send(body: Uint8Array, fault: Fault | undefined, response: ServerResponse): void {
  if (fault?.kind === 'slow') return sendSlowly(body, response);
  if (fault?.kind === 'short') return void response.end(body.subarray(0, fault.length));
  if (fault?.kind !== 'drop') return void response.end(body);
  response.write(body.subarray(0, fault.after));
  response.socket?.end(); // after what was written
}

function sendSlowly(body: Uint8Array, response: ServerResponse): void {
  if (body.length === 0) return void response.end();
  response.write(body.subarray(0, 100_000));
  setTimeout(() => sendSlowly(body.subarray(100_000), response), 10);
}
