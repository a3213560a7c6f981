/** What reaches the service: requests go to their answers, and what is none is sent away, in a way that its sender can read. */

import type { RequestListener, Server as HttpServer } from 'node:http';
import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { errorCode } from '../../io/files/fileErrors.ts';
import { clientAddress, transportOf } from './connections.ts';
import type { Exchanges } from './exchanges.ts';
import { formatLastAnswer, type PlainAnswer } from './textResponse.ts';
import type { ServerLog } from './serverLog.ts';

/** What a client sent that is no request. */
export interface Refusal {
  /** Its address. */
  readonly client: string;
  readonly problem:
    /** The handshake failed: `tlsv1 alert unknown ca` where the client does not trust the certificate. */
    | { readonly kind: 'tls'; readonly reason: string }
    /** HTTP to a port that speaks TLS. */
    | { readonly kind: 'plain-http' }
    /** TLS to a port that speaks HTTP. */
    | { readonly kind: 'tls-to-http' }
    /** What it was answered. */
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
  // Whoever wants the body says so; others answer at once.
  server.on('checkContinue', take);
  server.on('checkExpectation', take);

  const ended = new WeakSet<Duplex>();
  const refuse = (socket: Socket, answer: PlainAnswer, error?: Error): void => {
    if (ended.has(socket)) return; // what still comes in is no request either
    ended.add(socket);
    const client = clientAddress(socket);
    const { status, message } = answer;
    log.note('info', 'refused', { client, status, message });
    const isBusy = exchanges.isBusy(socket);
    // What breaks off in a request is known to whoever answers that.
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
    // Firmware that does not trust the certificate says so only here.
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

/** Whether the parser of HTTP has met the first record of TLS (RFC 8446, section 5.1), of type handshake. */
function isHandshake(error: Error | undefined): boolean {
  const packet: unknown = error !== undefined && 'rawPacket' in error ? error.rawPacket : undefined;
  return packet instanceof Uint8Array && packet[0] === 0x16 && packet[1] === 0x03;
}

/** Why there is no connection for HTTP; undefined where nobody has tried to make one. */
function handshakeProblem(code = '', socket: Duplex): Refusal['problem'] | undefined {
  if (code === 'ERR_SSL_HTTP_REQUEST') return { kind: 'plain-http' };
  if (code.startsWith('ERR_SSL_')) return { kind: 'tls', reason: tlsReason(code) };
  if (code === 'ERR_TLS_HANDSHAKE_TIMEOUT') return { kind: 'tls', reason: 'it did not end in time' };
  // Whoever only looks whether something listens sends nothing.
  const isBrokenOff = code === 'ECONNRESET' && (transportOf(socket)?.bytesRead ?? 0) > 0;
  return isBrokenOff ? { kind: 'tls', reason: 'the client broke it off' } : undefined;
}

const noProxy: PlainAnswer = {
  status: 405,
  message: 'this is no proxy',
  headers: { Allow: 'GET, HEAD' },
};

/** Undefined for a connection that is broken. */
function answerTo(code: string | undefined): PlainAnswer | undefined {
  if (code === 'HPE_HEADER_OVERFLOW')
    return { status: 431, message: 'the headers of the request are too large' };
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT')
    return { status: 408, message: 'the request did not arrive in time' };
  return code?.startsWith('HPE_') ? { status: 400, message: 'this is no request of HTTP/1.1' } : undefined;
}

/** Milliseconds for a client to read the last answer. Were the connection closed at once, it might never see it. */
const LINGER = 1000;

function endWith(socket: Socket, answer: PlainAnswer): void {
  const timer = setTimeout(() => socket.destroy(), LINGER);
  socket.once('close', () => clearTimeout(timer));
  socket.on('error', () => socket.destroy());
  socket.resume();
  socket.end(formatLastAnswer(answer));
}
