/**
 * The HTTP/1.1 server, with or without TLS, with limits against faulty clients. It refuses invalid requests, with an answer
 * that the client can read; `requests.ts` answers the others. Not supported: HTTP/2, which no firmware uses, and compression,
 * as images are already compressed.
 */

import { once } from 'node:events';
import {
  createServer as createHttpServer,
  type Server as HttpServer,
  type ServerOptions as HttpOptions,
} from 'node:http';
import { createServer as createHttpsServer, Server as HttpsServer } from 'node:https';
import { type AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { LONGEST_DELAY, systemClock } from '../../io/clock.ts';
import { errorCode } from '../../io/files/fileErrors.ts';
import { clientAddress, type ConnectionLimits, limitConnections, transportOf } from './connections.ts';
import { type Answerer, createExchanges, type Exchanges } from './exchanges.ts';
import { formatOrigin, type ListenAddress, listenError, listenOptions } from './listenAddress.ts';
import type { ServerLog } from './serverLog.ts';
import { formatLastAnswer, type PlainAnswer } from './textResponse.ts';
import {
  isCertificateFor,
  noteCertificate,
  readTlsFiles,
  type TlsFiles,
  type TlsMaterial,
  watchTlsFiles,
} from './tlsFiles.ts';

/** Times in milliseconds. */
export interface ServerLimits extends ConnectionLimits {
  /** Maximum size of all request headers, in bytes. */
  readonly headerSize: number;
  /** Limit for receiving the headers, and for the TLS handshake. */
  readonly headerTime: number;
  readonly requestTime: number;
  /** Limit between an answer and the next request on the same connection. */
  readonly keepAliveTime: number;
  /**
   * Limit without any data sent or received during a request. A client that stops reading is noticed after up to twice this time. The
   * kernel reports progress only when a third of its buffer is free, which may be more than 1 MiB: a value below a minute
   * disconnects clients that are only slow.
   */
  readonly idleTime: number;
}

/** For a few thousand BMCs, each with a few connections. */
export const defaultLimits: ServerLimits = {
  connections: 4096,
  headerSize: 16 * 1024,
  // As nginx: if the kernel of a busy machine drops the request, the client sends it again, after up to 30 s.
  headerTime: 60_000,
  requestTime: 60_000,
  keepAliveTime: 30_000,
  idleTime: 120_000,
};

export type HandshakeProblem =
  /** The handshake failed: `tlsv1 alert unknown ca` if the client does not trust the certificate. */
  | { readonly kind: 'tls'; readonly reason: string }
  /** A plain-HTTP request to a TLS port. */
  | { readonly kind: 'plain-http' }
  /** A TLS handshake to a plain-HTTP port. */
  | { readonly kind: 'tls-to-http' };

interface Refusal {
  /** IP address. */
  readonly client: string;
  readonly problem:
    | HandshakeProblem
    /** An invalid request, with the answer. */
    | { readonly kind: 'request'; readonly status: number; readonly message: string };
}

export interface ServerOptions {
  readonly listen: ListenAddress;
  /** Files, which may change, or a certificate in memory; undefined for plain HTTP. */
  readonly tls: TlsFiles | TlsMaterial | undefined;
  readonly limits: ServerLimits;
  readonly answer: Answerer;
  readonly log: ServerLog;
  /** Receives refused connections and requests, in addition to the log. */
  readonly refused?: ((refusal: Refusal) => void) | undefined;
  /** Milliseconds between two checks for changed TLS files. */
  readonly tlsInterval?: number;
}

export type RunningServer = Readonly<Awaited<ReturnType<typeof startServer>>>;

export async function startServer(options: ServerOptions) {
  const { limits, log, tls, tlsInterval: interval = TLS_INTERVAL } = options;
  const files = tls !== undefined && 'context' in tls ? undefined : tls;
  let material = tls !== undefined && 'context' in tls ? tls : files && (await readTlsFiles(files));
  const exchanges = createExchanges(options.answer);
  const server = createServer(limits, material);
  const sockets = limitConnections(server, limits, log);
  answerRequests(server, exchanges, options);
  await listen(server, options.listen);
  server.on('error', (error) => log.note('error', 'server', { message: error.message }));
  if (material !== undefined) noteCertificate(material, log);
  const use = (renewed: TlsMaterial): void => {
    material = renewed;
    if (server instanceof HttpsServer) server.setSecureContext(renewed.context);
  };
  const watch = files && (await watchTlsFiles(files, interval, log, use));
  const stop = createStop(server, exchanges, sockets);
  const bound: AddressInfo | string | null = server.address();
  return {
    /** The URL for this machine: `https://192.0.2.1:8443`. */
    origin: formatOrigin(tls === undefined ? 'http' : 'https', bound),
    port: bound === null || typeof bound === 'string' ? 0 : bound.port,
    connections: (): number => sockets.size,
    /** Whether clients that connect to this name or address accept the certificate. True without TLS. */
    isCertifiedFor: (host: string): boolean => material === undefined || isCertificateFor(host, material),
    /** Reloads the TLS files; resolves to whether they are valid. True without TLS. */
    reloadCertificates: async (): Promise<boolean> => watch?.reload() ?? true,
    /**
     * Makes `/readyz` fail and closes each connection after its next answer, but continues to accept requests, until load
     * balancers use other replicas.
     */
    announceEnd: (): void => {
      exchanges.context.isDraining = true;
    },
    /**
     * Stops listening, closes idle connections, and waits for running requests. May be called again with a shorter time.
     * Resolves when all connections are closed, to the number of requests that were aborted after the grace period.
     * @param grace milliseconds
     */
    stop: async (grace: number): Promise<{ readonly aborted: number }> => {
      watch?.end();
      return stop(grace);
    },
  };
}

const TLS_INTERVAL = 5000;

function createServer(limits: ServerLimits, material: TlsMaterial | undefined): HttpServer {
  const options: HttpOptions = {
    maxHeaderSize: limits.headerSize,
    headersTimeout: limits.headerTime,
    requestTimeout: limits.requestTime,
    keepAliveTimeout: limits.keepAliveTime,
    connectionsCheckingInterval: Math.min(1000, limits.headerTime / 2),
  };
  const server =
    material === undefined
      ? createHttpServer(options)
      : createHttpsServer({
          ...options,
          ...material.context,
          handshakeTimeout: limits.headerTime,
          // Clients without a certificate may still have a token or a signed path.
          requestCert: material.context.ca !== undefined,
          rejectUnauthorized: false,
        });
  server.timeout = Math.min(limits.idleTime, LONGEST_DELAY);
  // Only their size is limited: by default, Node ignores headers after the first thousand, such as a second Host.
  server.maxHeadersCount = 0;
  // A client may close its side of the connection after it has sent its request, and still wait for the answer (RFC 9112,
  // section 9.6). Without this undocumented property, Node sends no answer then.
  Object.assign(server, { httpAllowHalfOpen: true });
  // Only after the handshake: a client that closes its side during the handshake has disconnected.
  server.on('secureConnection', (socket: Socket) => {
    socket.allowHalfOpen = true;
  });
  return server;
}

async function listen(server: HttpServer, address: ListenAddress): Promise<void> {
  try {
    server.listen(listenOptions(address));
    await once(server, 'listening');
  } catch (error) {
    throw listenError(error, address);
  }
}

function createStop(server: HttpServer, exchanges: Exchanges, sockets: ReadonlySet<Socket>) {
  const { context, running } = exchanges;
  let aborted = 0;
  const abortAll = (): void => {
    context.isAborting = true;
    aborted += running.size;
    for (const socket of sockets) socket.destroy();
  };
  const begin = async (): Promise<void> => {
    context.isDraining = true;
    const closed = new Promise((resolve) => void server.close(resolve));
    // Node keeps connections open that have not sent a request yet.
    const busy = new Set([...running.keys()].map(({ req }) => transportOf(req.socket)));
    for (const socket of sockets) if (!busy.has(socket)) socket.destroy();
    await closed;
    await Promise.all(running.values());
  };
  let stopped: Promise<void> | undefined;
  return async (grace: number) => {
    stopped ??= begin();
    const cancel = systemClock.after(grace, abortAll);
    await stopped;
    cancel();
    return { aborted };
  };
}

/** Passes requests to their handlers and refuses invalid ones with an answer that the client can read. */
function answerRequests(server: HttpServer, exchanges: Exchanges, { log, refused }: ServerOptions): void {
  server.on('request', exchanges.take);
  // Only handlers that read the body send 100 Continue.
  server.on('checkContinue', exchanges.take);
  server.on('checkExpectation', exchanges.take);

  const ended = new WeakSet<Duplex>();
  const refuse = (socket: Socket, answer: PlainAnswer, error?: Error): void => {
    if (ended.has(socket)) return; // more data of a refused connection
    ended.add(socket);
    const client = clientAddress(socket);
    const { status, message } = answer;
    log.note('info', 'refused', { client, status, message });
    const isBusy = [...exchanges.running.keys()].some(({ req }) => req.socket === socket);
    // The handler of a running request reports its end itself.
    if (!isBusy)
      refused?.({ client, problem: isHandshake(error) ? tlsToHttp : { kind: 'request', status, message } });
    if (isBusy || !socket.writable) socket.destroy();
    else endWith(socket, answer);
  };
  server.on('connect', ({ socket }) => refuse(socket, noProxy));
  server.on('clientError', (error, socket) => {
    const code = errorCode(error);
    const answer = answerTo(code);
    if (answer !== undefined && socket instanceof Socket) refuse(socket, answer, error);
    else socket.destroy();
    // Firmware that does not trust the certificate sends this TLS alert, and no request.
    if (code?.startsWith('ERR_SSL_')) log.note('info', 'refused', { message: `TLS: ${tlsReason(code)}` });
  });
  server.on('tlsClientError', (error: Error, socket: Duplex) => {
    const problem = handshakeProblem(errorCode(error), socket);
    if (problem !== undefined) refused?.({ client: clientAddress(socket), problem });
  });
}

/** `tlsv1 alert unknown ca` */
function tlsReason(code: string): string {
  return code.slice('ERR_SSL_'.length).toLowerCase().replaceAll('_', ' ');
}

const tlsToHttp = { kind: 'tls-to-http' } as const;

/** Whether the HTTP parser has received a TLS handshake record (RFC 8446, section 5.1). */
function isHandshake(error: Error | undefined): boolean {
  const packet: unknown = error !== undefined && 'rawPacket' in error ? error.rawPacket : undefined;
  return packet instanceof Uint8Array && packet[0] === 0x16 && packet[1] === 0x03;
}

/** Why the TLS handshake failed; undefined if the client did not start one. */
function handshakeProblem(code = '', socket: Duplex): HandshakeProblem | undefined {
  if (code === 'ERR_SSL_HTTP_REQUEST') return { kind: 'plain-http' };
  if (code.startsWith('ERR_SSL_')) return { kind: 'tls', reason: tlsReason(code) };
  if (code === 'ERR_TLS_HANDSHAKE_TIMEOUT') return { kind: 'tls', reason: 'the handshake timed out' };
  // A port scan sends no data.
  const isBrokenOff = code === 'ECONNRESET' && (transportOf(socket)?.bytesRead ?? 0) > 0;
  return isBrokenOff ? { kind: 'tls', reason: 'the client aborted the handshake' } : undefined;
}

const noProxy: PlainAnswer = {
  status: 405,
  message: 'this server is not a proxy',
  headers: { Allow: 'GET, HEAD' },
};

/** Undefined for a broken connection. */
function answerTo(code: string | undefined): PlainAnswer | undefined {
  if (code === 'HPE_HEADER_OVERFLOW') return { status: 431, message: 'the request headers are too large' };
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT')
    return { status: 408, message: 'the request did not arrive in time' };
  return code?.startsWith('HPE_')
    ? { status: 400, message: 'this is not a valid HTTP/1.1 request' }
    : undefined;
}

/** Milliseconds for a client to read the last answer. If the connection closed immediately, the answer could get lost. */
const LINGER = 1000;

function endWith(socket: Socket, answer: PlainAnswer): void {
  const timer = setTimeout(() => socket.destroy(), LINGER);
  socket.once('close', () => clearTimeout(timer));
  socket.on('error', () => socket.destroy());
  socket.resume();
  socket.end(formatLastAnswer(answer));
}
