/** A real HTTP server with files, and with everything that may go wrong between it and whoever downloads them. */

import { readFileSync } from 'node:fs';
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { listenLocally } from './listening.ts';

/** What goes wrong with one request; those after it are answered as they should be, or by the next fault. */
export type Fault =
  | { readonly kind: 'status'; readonly status: number; readonly headers?: Readonly<Record<string, string>> }
  /** The connection breaks off after so many bytes of the body. */
  | { readonly kind: 'drop'; readonly after: number }
  /** The body ends early, and the header said so. */
  | { readonly kind: 'short'; readonly length: number }
  /** All bytes, and a header that announces one more. */
  | { readonly kind: 'overstated' }
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

interface SeenRequest {
  readonly path: string;
  readonly range: string | undefined;
  readonly authorization: string | undefined;
  readonly host: string | undefined;
}

export interface ImageServer {
  /** `http://127.0.0.1:PORT`, or `https:` */
  readonly origin: string;
  readonly files: Map<string, ServedFile>;
  readonly requests: SeenRequest[];
  readonly close: () => Promise<void>;
}

/** Where the authority is that vouches for the certificate of `https:` servers; it is for 127.0.0.1 and `images.test`. */
export const serverAuthority = new URL('./certificates/server-ca.pem', import.meta.url);

export async function startImageServer(scheme: 'http' | 'https' = 'http'): Promise<ImageServer> {
  const files = new Map<string, ServedFile>();
  const requests: SeenRequest[] = [];
  const server = createFor(scheme, (request, response) => {
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
  const port = await listenLocally(server);
  const close = (): Promise<void> =>
    new Promise((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  return { origin: `${scheme}://127.0.0.1:${port}`, files, requests, close };
}

function createFor(scheme: 'http' | 'https', listener: RequestListener): Server {
  if (scheme === 'http') return createServer(listener);
  const pem = readFileSync(new URL('./certificates/server.pem', import.meta.url));
  return createTlsServer({ cert: pem, key: pem }, listener);
}

function answer(file: ServedFile, request: IncomingMessage, response: ServerResponse): void {
  const { content, ranges = true } = file;
  const etag = 'etag' in file ? file.etag : '"1"';
  const fault = file.faults?.shift();
  if (fault?.kind === 'status') return void response.writeHead(fault.status, fault.headers).end('no');
  if (fault?.kind === 'redirect') return void response.writeHead(302, { location: fault.to }).end();
  if (fault?.kind === 'silence') return;
  const { start, end, isPart } = ranges ? rangeOf(request, file) : wholeOf(file);
  if (start > 0 && start >= content.length) {
    return void response.writeHead(416, { 'content-range': `bytes */${content.length}` }).end();
  }
  const body = content.subarray(start, end);
  const total = fault?.kind === 'wrong range' ? content.length + 5 : content.length;
  response.writeHead(isPart ? 206 : 200, {
    ...(etag !== undefined && { etag }),
    ...(isPart && { 'content-range': `bytes ${start}-${end - 1}/${total}` }),
    ...(fault?.kind !== 'no length' && {
      'content-length': String(announced(body, fault)),
    }),
  });
  send(body, fault, response);
}

function announced({ length }: Uint8Array, fault: Fault | undefined): number {
  if (fault?.kind === 'overstated') return length + 1;
  return fault?.kind === 'short' ? fault.length : length;
}

interface Part {
  readonly start: number;
  /** Behind the last byte. */
  readonly end: number;
  readonly isPart: boolean;
}

function wholeOf({ content }: ServedFile): Part {
  return { start: 0, end: content.length, isPart: false };
}

function rangeOf({ headers }: IncomingMessage, file: ServedFile): Part {
  const [, start, last] = /^bytes=(\d+)-(\d*)$/.exec(headers.range ?? '') ?? [];
  const etag = 'etag' in file ? file.etag : '"1"';
  const isOther = headers['if-range'] !== undefined && headers['if-range'] !== etag;
  if (start === undefined || isOther) return wholeOf(file);
  const { length } = file.content;
  const end = last === undefined || last === '' ? length : Math.min(Number(last) + 1, length);
  return { start: Number(start), end, isPart: true };
}

function send(body: Uint8Array, fault: Fault | undefined, response: ServerResponse): void {
  if (fault?.kind === 'slow') return sendSlowly(body, response);
  if (fault?.kind === 'short') return void response.end(body.subarray(0, fault.length));
  if (fault?.kind !== 'drop' && fault?.kind !== 'overstated') return void response.end(body);
  response.write(fault.kind === 'drop' ? body.subarray(0, fault.after) : body);
  response.socket?.end(); // after what was written
}

function sendSlowly(body: Uint8Array, response: ServerResponse): void {
  if (body.length === 0) return void response.end();
  response.write(body.subarray(0, 100_000));
  setTimeout(() => sendSlowly(body.subarray(100_000), response), 10);
}
