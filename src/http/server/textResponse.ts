/**
 * Answers in memory: pages, and plain text for a user who reads the console of a BMC or the output of curl. The latter contains
 * only data that the client has sent itself, so it reveals no secrets.
 */

import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';

export interface PlainAnswer {
  readonly status: number;
  /** Without a period: `this path is not served here`. */
  readonly message: string;
  /** How to fix it, as an imperative. */
  readonly hint?: string;
  readonly headers?: TextAnswer['headers'];
}

/** An answer in memory. */
export interface TextAnswer {
  readonly status: number;
  /** With `Content-Type`; those of all answers in memory and `Content-Length` are added. */
  readonly headers: Readonly<Record<string, string | string[]>>;
  readonly body: string;
}

const commonHeaders = { 'Cache-Control': 'no-store', 'X-Content-Type-Options': 'nosniff' };

export const plainHeaders = { 'Content-Type': 'text/plain; charset=utf-8' };

function describePlain({ status, message, hint, headers }: PlainAnswer): TextAnswer {
  const body = `${status}: ${message}\n${hint === undefined ? '' : `hint: ${hint}\n`}`;
  return { status, headers: { ...plainHeaders, ...headers }, body };
}

/**
 * Sends the answer; for HEAD without the text. Closes the connection if the request has a body that has not been read.
 * @returns the number of bytes of the text that are sent
 */
export function sendText(
  request: IncomingMessage,
  response: ServerResponse,
  { body, headers, status }: TextAnswer,
): number {
  const length = Buffer.byteLength(body);
  const isHead = request.method === 'HEAD';
  if (hasBody(request) && !request.readableEnded) response.shouldKeepAlive = false;
  response.writeHead(status, { ...commonHeaders, ...headers, 'Content-Length': length });
  response.end(isHead ? undefined : body);
  return isHead ? 0 : length;
}

export function sendPlainAnswer(
  request: IncomingMessage,
  response: ServerResponse,
  answer: PlainAnswer,
): void {
  sendText(request, response, describePlain(answer));
}

/** The answer to an invalid request, as the last one on its connection. */
export function formatLastAnswer(answer: PlainAnswer): string {
  const { body, headers, status } = describePlain(answer);
  const all = {
    ...commonHeaders,
    ...headers,
    Connection: 'close',
    'Content-Length': Buffer.byteLength(body),
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${String(value)}\r\n`);
  return `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n${lines.join('')}\r\n${body}`;
}

export function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) !== 0;
}

/**
 * Converts to printable ASCII, with `?` for other characters, and truncates after `limit` characters with `...`. The result is
 * a copy, as a substring would keep the whole text in memory.
 */
export function plainText(text: string, limit: number): string {
  const plain = text.slice(0, limit).replace(/[^ -~]/g, '?');
  const copy = Buffer.from(plain, 'latin1').toString('latin1');
  return text.length > limit ? `${copy}...` : copy;
}
