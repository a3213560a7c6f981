/**
 * Plain-text answers, for a user who reads the console of a BMC or the output of curl. They contain only data that the client
 * has sent itself, so they reveal no secrets.
 */

import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';

export interface PlainAnswer {
  readonly status: number;
  /** Without a period: `this path is not served here`. */
  readonly message: string;
  /** How to fix it, as an imperative. */
  readonly hint?: string;
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
}

const commonHeaders = {
  'Content-Type': 'text/plain; charset=utf-8',
  'Cache-Control': 'no-store',
  'X-Content-Type-Options': 'nosniff',
};

/** Sends the answer; for HEAD without the text. Closes the connection if the request has a body, as the body is not read. */
export function sendPlainAnswer(
  request: IncomingMessage,
  response: ServerResponse,
  answer: PlainAnswer,
): void {
  const text = formatText(answer);
  if (hasBody(request)) response.shouldKeepAlive = false;
  for (const [name, value] of Object.entries({ ...commonHeaders, ...answer.headers })) {
    response.setHeader(name, value);
  }
  response.writeHead(answer.status, { 'Content-Length': Buffer.byteLength(text) });
  response.end(request.method === 'HEAD' ? undefined : text);
}

/** The answer to an invalid request, as the last one on its connection. */
export function formatLastAnswer(answer: PlainAnswer): string {
  const text = formatText(answer);
  const headers = {
    ...commonHeaders,
    ...answer.headers,
    Connection: 'close',
    'Content-Length': Buffer.byteLength(text),
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${String(value)}\r\n`);
  return `HTTP/1.1 ${answer.status} ${STATUS_CODES[answer.status] ?? ''}\r\n${lines.join('')}\r\n${text}`;
}

export function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) !== 0;
}

function formatText({ status, message, hint }: PlainAnswer): string {
  return `${status}: ${message}\n${hint === undefined ? '' : `hint: ${hint}\n`}`;
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
