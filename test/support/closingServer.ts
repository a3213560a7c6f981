/** A server that closes each connection after its answer, in one of the ways in which servers and proxies do so. */

import { createServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer, type TlsOptions } from 'node:tls';
import { listenLocally } from './listening.ts';

/** How the end of the body is told. */
export type Framing =
  | 'HTTP/1.0 with its length'
  | 'HTTP/1.0 until it closes'
  | 'Connection: close with its length'
  | 'Connection: close in chunks'
  | 'Connection: close until it closes'
  | 'keep-alive, which it does not keep';

/** `reset`: the client gets RST without FIN, which Linux sends if the server closes with unread bytes of the request. */
type Ending = 'complete' | 'cut' | 'reset';

export interface ClosingServer {
  readonly port: number;
  /** Bytes that have gone into sockets, for the last connection. */
  readonly sent: () => number;
  /** Resolves when the last answer has been sent and the connection has been closed by the server. */
  readonly closed: () => Promise<void>;
  readonly close: () => Promise<void>;
}

export interface ClosingServerOptions {
  readonly body: Uint8Array;
  readonly framing: Framing;
  /** Default: complete. Cut bodies lack their last byte. */
  readonly ending?: Ending;
  readonly tls?: TlsOptions;
}

const CHUNK = 16 * 1024;
/** Milliseconds in which a client handles what it has received. */
const PAUSE = 30;

export async function startClosingServer({
  body,
  framing,
  ending = 'complete',
  tls,
}: ClosingServerOptions): Promise<ClosingServer> {
  const sockets = new Set<Socket>();
  let last: Socket | undefined;
  let closed = Promise.resolve();
  const answer = (socket: Socket): void => {
    sockets.add(socket);
    socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
    const respond = (): void => {
      last = socket;
      closed = new Promise((resolve) => {
        const bytes = Buffer.concat([head(framing, body.length), encode(framing, body)]);
        socket.write(ending === 'complete' ? bytes : bytes.subarray(0, -1), () => {
          // libuv reports an end that comes together with bytes as a regular one.
          if (ending === 'reset') setTimeout(() => socket.destroy(), PAUSE);
          else socket.end();
          setTimeout(resolve, 2 * PAUSE); // until the other side has seen it
        });
      });
    };
    if (ending === 'reset') setTimeout(respond, PAUSE); // until the request has come
    else socket.once('data', respond);
  };
  const server: Server =
    tls === undefined
      ? createServer({ pauseOnConnect: ending === 'reset' }, answer)
      : createTlsServer(tls, answer);
  const port = await listenLocally(server);
  return {
    port,
    sent: () => (last === undefined ? 0 : last.bytesWritten - last.writableLength),
    closed: () => closed,
    close: () =>
      new Promise((resolve) => {
        for (const socket of sockets) socket.destroy();
        server.close(() => resolve());
      }),
  };
}

function head(framing: Framing, length: number): Buffer {
  const version = framing.startsWith('HTTP/1.0') ? 'HTTP/1.0' : 'HTTP/1.1';
  const lines = [`${version} 200 OK`];
  if (framing.startsWith('Connection: close')) lines.push('Connection: close');
  if (framing.endsWith('its length') || framing.startsWith('keep-alive'))
    lines.push(`Content-Length: ${length}`);
  if (framing.endsWith('chunks')) lines.push('Transfer-Encoding: chunked');
  return Buffer.from(`${lines.join('\r\n')}\r\n\r\n`);
}

function encode(framing: Framing, body: Uint8Array): Uint8Array {
  if (!framing.endsWith('chunks')) return body;
  const parts: Uint8Array[] = [];
  for (let start = 0; start < body.length; start += CHUNK) {
    const chunk = body.subarray(start, start + CHUNK);
    parts.push(Buffer.from(`${chunk.length.toString(16)}\r\n`), chunk, Buffer.from('\r\n'));
  }
  return Buffer.concat([...parts, Buffer.from('0\r\n\r\n')]);
}
