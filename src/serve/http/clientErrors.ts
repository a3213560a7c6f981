/** Passes requests to their handlers and refuses invalid ones with an answer that the client can read. */

import type { RequestListener, Server as HttpServer } from 'node:http';
import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { errorCode } from '../../io/files/fileErrors.ts';
import { clientAddress, transportOf } from './connections.ts';
import type { Exchanges } from './exchanges.ts';
import { formatLastAnswer, type PlainAnswer } from './textResponse.ts';
import type { ServerLog } from './serverLog.ts';

/** A refused connection or an invalid request. */
export interface Refusal {
  /** IP address. */
  readonly client: string;
  readonly problem:
    /** The handshake failed: `tlsv1 alert unknown ca` if the client does not trust the certificate. */
    | { readonly kind: 'tls'; readonly reason: string }
    /** A plain-HTTP request to a TLS port. */
    | { readonly kind: 'plain-http' }
    /** A TLS handshake to a plain-HTTP port. */
    | { readonly kind: 'tls-to-http' }
    /** An invalid request, with the answer. */
    | { readonly kind: 'request'; readonly status: number; readonly message: string };
}

export interface Reception {
  readonly exchanges: Exchanges;
  readonly log: ServerLog;
  readonly refused: ((refusal: Refusal) => void) | undefined;
}

export function answerRequests(server: HttpServer, { exchanges, log, refused }: Reception): void {
  const take: RequestListener = (request, response) => exchanges.take(request, response);
  server.on('request', take);
  // Only handlers that read the body send 100 Continue.
  server.on('checkContinue', take);
  server.on('checkExpectation', take);

  const ended = new WeakSet<Duplex>();
  const refuse = (socket: Socket, answer: PlainAnswer, error?: Error): void => {
    if (ended.has(socket)) return; // more data of a refused connection
    ended.add(socket);
    const client = clientAddress(socket);
    const { status, message } = answer;
    log.note('info', 'refused', { client, status, message });
    const isBusy = exchanges.isBusy(socket);
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
function handshakeProblem(code = '', socket: Duplex): Refusal['problem'] | undefined {
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
