/**
 * The service as the network sees it: HTTP/1.1, with TLS or without, that outlives whatever clients send. What is
 * answered is in `requests.ts`. Left out: HTTP/2, which no firmware asks for, and compression, as images are compressed.
 */

import {
  createServer as createHttpServer,
  type Server as HttpServer,
  type ServerOptions as HttpOptions,
} from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { type ConnectionLimits, type Connections, limitConnections } from './connections.ts';
import { type Answerer, createExchanges, type Exchanges } from './exchanges.ts';
import { formatOrigin, type ListenAddress, listenError, listenOptions } from './listenAddress.ts';
import { answerRequests, type Refusal } from './clientErrors.ts';
import type { ServerLog } from './serverLog.ts';
import { noteCertificate, readTlsFiles, type TlsFiles, type TlsMaterial, watchTlsFiles } from './tlsFiles.ts';

/** Times in milliseconds. */
export interface ServerLimits extends ConnectionLimits {
  /** Bytes of all headers of a request. */
  readonly headerSize: number;
  /** For the headers to arrive, and for the TLS handshake. */
  readonly headerTime: number;
  /** For the whole request to arrive. */
  readonly requestTime: number;
  /** Between an answer and the next request on the same connection. */
  readonly keepAliveTime: number;
  /** Without anything sent or received during an exchange. */
  readonly idleTime: number;
  readonly requestsPerConnection: number;
}

/** For some thousand BMCs. A BMC opens a handful of connections, a virtual machine's host one for each guest. */
export const defaultLimits: ServerLimits = {
  connections: 4096,
  connectionsPerClient: 512,
  headerSize: 16 * 1024,
  headerTime: 10_000,
  requestTime: 20_000,
  keepAliveTime: 30_000,
  idleTime: 120_000,
  requestsPerConnection: 100_000,
};

export interface ServerOptions {
  readonly listen: ListenAddress;
  /** Files, which may change, or what has been made in memory; undefined for plain HTTP. */
  readonly tls: TlsFiles | TlsMaterial | undefined;
  readonly limits: ServerLimits;
  readonly answer: Answerer;
  readonly log: ServerLog;
  /** Is told what was no request, besides the log. */
  readonly refused?: ((refusal: Refusal) => void) | undefined;
  /** Milliseconds between two looks whether the files of TLS have changed. */
  readonly tlsInterval?: number;
}

export interface RunningServer {
  /** `https://192.0.2.1:8443`: how it can be reached from this machine. */
  readonly origin: string;
  readonly port: number;
  connections(): number;
  /** Reads the files of TLS anew; resolves to whether they are good. True without TLS. */
  reloadCertificates(): Promise<boolean>;
  /**
   * From now on the service says that it ends and keeps no connection, but goes on. Load balancers look elsewhere then,
   * so that nobody meets a closed door.
   */
  announceEnd(): void;
  /**
   * Takes no more connections, closes those that are at rest, and waits for the others. May be called again with less
   * time. Resolves when all are closed.
   * @param grace milliseconds
   */
  stop(grace: number): Promise<StopResult>;
}

interface StopResult {
  /** Answers that were not finished in time. */
  readonly cut: number;
}

/** @throws CliError where the files of TLS are no good, or nothing can listen there */
export async function startServer(options: ServerOptions): Promise<RunningServer> {
  const { limits, log, tlsInterval = TLS_INTERVAL } = options;
  const tls = options.tls && (await readTls(options.tls));
  const situation = { isDraining: false, isCut: false };
  const exchanges = createExchanges(options.answer, situation);
  const { server, use } = createServer(limits, tls?.first);
  const connections = limitConnections(server, limits, log);
  const sessions = collectSessions(server, tls !== undefined);
  answerRequests(server, { exchanges, log, refused: options.refused });
  await listen(server, options.listen);
  server.on('error', (error) => log.note('error', 'server', { message: error.message }));
  if (tls !== undefined) noteCertificate(tls.first, log);
  const watch =
    tls?.files && watchTlsFiles({ files: tls.files, first: tls.first, use, interval: tlsInterval, log });
  return {
    ...whereabouts(server, tls !== undefined),
    connections: () => connections.count(),
    reloadCertificates: async () => watch?.reload() ?? true,
    announceEnd: () => {
      situation.isDraining = true;
    },
    stop: createStop({ server, situation, exchanges, connections, sessions, end: () => watch?.end() }),
  };
}

const TLS_INTERVAL = 5000;

/** What is in use first, and the files that it is from. */
async function readTls(
  tls: TlsFiles | TlsMaterial,
): Promise<{ readonly files: TlsFiles | undefined; readonly first: TlsMaterial }> {
  return 'context' in tls ? { files: undefined, first: tls } : { files: tls, first: await readTlsFiles(tls) };
}

interface Created {
  readonly server: HttpServer;
  /** Puts another certificate into use; nothing without TLS. */
  readonly use: (material: TlsMaterial) => void;
}

function createServer(limits: ServerLimits, material: TlsMaterial | undefined): Created {
  const options: HttpOptions = {
    maxHeaderSize: limits.headerSize,
    headersTimeout: limits.headerTime,
    requestTimeout: limits.requestTime,
    keepAliveTimeout: limits.keepAliveTime,
    connectionsCheckingInterval: Math.min(1000, limits.headerTime / 2),
  };
  if (material === undefined) {
    return { server: limitTime(createHttpServer(options), limits), use: () => undefined };
  }
  const server = createHttpsServer({
    ...options,
    ...material.context,
    handshakeTimeout: limits.headerTime,
    // Who shows none may still have a token, or a signed path.
    requestCert: material.context.ca !== undefined,
    rejectUnauthorized: false,
  });
  limitTime(server, limits);
  return { server, use: ({ context }) => server.setSecureContext(context) };
}

/**
 * A client may end its half of the connection as soon as it has sent its request, and still wait for the answer (RFC 9112,
 * section 9.6). Without this property, which Node does not document, it would get none.
 */
function answerHalfClosed(server: HttpServer): void {
  Object.assign(server, { httpAllowHalfOpen: true });
  // Not before: a client that ends its half in the middle of a handshake is gone.
  server.on('secureConnection', (socket: Socket) => {
    socket.allowHalfOpen = true;
  });
}

function limitTime<Server extends HttpServer>(server: Server, limits: ServerLimits): Server {
  answerHalfClosed(server);
  server.timeout = limits.idleTime;
  server.maxRequestsPerSocket = limits.requestsPerConnection;
  return server;
}

/** The connections on which HTTP is spoken: with TLS, those whose handshake is done. */
function collectSessions(server: HttpServer, isSecure: boolean): ReadonlySet<Socket> {
  const sessions = new Set<Socket>();
  server.on(isSecure ? 'secureConnection' : 'connection', (socket: Socket) => {
    sessions.add(socket);
    socket.once('close', () => void sessions.delete(socket));
  });
  return sessions;
}

async function listen(server: HttpServer, address: ListenAddress): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    const fail = (error: unknown): void => reject(listenError(error, address));
    server.once('error', fail);
    server.listen(listenOptions(address), () => {
      server.off('error', fail);
      resolve();
    });
  });
}

function whereabouts(server: HttpServer, isSecure: boolean): Pick<RunningServer, 'origin' | 'port'> {
  const bound: AddressInfo | string | null = server.address();
  const port = bound === null || typeof bound === 'string' ? 0 : bound.port;
  return { origin: formatOrigin(isSecure ? 'https' : 'http', bound), port };
}

interface Stopping {
  readonly server: HttpServer;
  readonly situation: { isDraining: boolean; isCut: boolean };
  readonly exchanges: Exchanges;
  readonly connections: Connections;
  readonly sessions: ReadonlySet<Socket>;
  /** Frees what else the service holds. */
  readonly end: () => void;
}

function createStop({
  server,
  situation,
  exchanges,
  connections,
  sessions,
  end,
}: Stopping): RunningServer['stop'] {
  let cut = 0;
  const cutAll = (): void => {
    situation.isCut = true;
    cut += exchanges.running();
    connections.destroyAll();
  };
  const begin = async (): Promise<void> => {
    situation.isDraining = true;
    end();
    const closed = new Promise((resolve) => void server.close(resolve));
    for (const socket of sessions) if (!exchanges.isBusy(socket)) socket.destroy();
    await exchanges.whenIdle();
    connections.destroyAll(); // those without any request
    await closed;
  };
  let stopped: Promise<void> | undefined;
  return async (grace) => {
    stopped ??= begin();
    const timer = setTimeout(cutAll, grace);
    await stopped;
    clearTimeout(timer);
    return { cut };
  };
}
