/**
 * Answers that are a sentence, for a person who looks at the console of a BMC or at curl. They never hold anything that
 * the client has not sent itself, so nothing is lost where they show up.
 */

import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';

export interface PlainAnswer {
  readonly status: number;
  /** Without a full stop: `worker-7.iso is not served here`. */
  readonly message: string;
  /** What can be done about it. */
  readonly hint?: string;
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
}

const commonHeaders = {
  'Content-Type': 'text/plain; charset=utf-8',
  'Cache-Control': 'no-store',
  'X-Content-Type-Options': 'nosniff',
};

/** Sends all of it; for HEAD without the text. Ends the connection where the request has a body, which nobody reads. */
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

/** The same for what is not even a request; the connection ends with it. */
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

/** Whether bytes follow after the header. */
export function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) !== 0;
}

function formatText({ status, message, hint }: PlainAnswer): string {
  return `${status}: ${message}\n${hint === undefined ? '' : `hint: ${hint}\n`}`;
}

/**
 * Printable ASCII, other characters as `?`, cut after `limit` characters, which `...` says. A copy: a part of a text would
 * keep the whole of it in memory.
 */
export function plainText(text: string, limit: number): string {
  const plain = text.slice(0, limit).replace(/[^ -~]/g, '?');
  const copy = Buffer.from(plain, 'latin1').toString('latin1');
  return text.length > limit ? `${copy}...` : copy;
}
