/**
 * HTTP client for images, metadata, signatures and keys. Responses arrive in parts, and errors are sentences. Credentials of
 * URLs are sent only to their host, and never appear in a message. `retries.ts` repeats requests; `downloadPartial.ts` and
 * `remoteImage.ts` resume them.
 */

import { CliError } from '../../core/errors.ts';
import { formatSizeInWords } from '../../formats/messageText.ts';
import { readAll } from '../../io/files/files.ts';
import { connect } from './connect.ts';
import type { RawResponse } from './connection.ts';
import { describeFailure, describeStatus } from './httpErrors.ts';
import { parseHttpUrl, parseProxies } from './httpUrl.ts';
import type { Io } from '../../io/io.ts';

export interface HttpClient {
  /** @throws TransferError for HTTP errors, and if there is no response */
  get(url: URL, options?: GetOptions): Promise<HttpAnswer>;
  close(): Promise<void>;
}

interface GetOptions {
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal | undefined;
}

/** An answer whose body has not been read yet: either `parts` are taken, or it is dismissed. */
export interface HttpAnswer {
  readonly status: 200 | 206 | 416;
  /** By names in small letters; of repeated ones the first. */
  readonly headers: ReadonlyMap<string, string>;
  /** What was asked for, and where that led to. */
  readonly urls: readonly URL[];
  /** In order, each only lent until the next is asked for; throws TransferError. Leaving early ends the connection. */
  readonly parts: AsyncIterable<Uint8Array>;
  /** Ends the connection. */
  dismiss(): void;
}

const MAX_REDIRECTS = 10;
/** Milliseconds: `silence` without a response, or between two parts of one. While the reader is busy no time passes. */
const defaultTimeouts = { connect: 30_000, silence: 60_000 };

/** Bytes of an answer without a length, which a server may never end. No image of CoreOS and no archive of an agent is larger. */
const MAX_UNANNOUNCED = 16 * 1024 ** 3;

/** @param maxUnannounced limit for answers without a length */
export function createHttpClient(
  { env = {}, note, signal: aborted }: Partial<Io>,
  timeouts = defaultTimeouts,
  maxUnannounced = MAX_UNANNOUNCED,
): HttpClient {
  const proxies = parseProxies(env);
  // Without the proxy URLs, which may contain passwords.
  const direct = proxies.except === '' ? '' : `, except for ${proxies.except}`;
  if (proxies.http !== '' || proxies.https !== '') note?.(`using the proxy from the environment${direct}`);
  const connection = connect({ connectTime: timeouts.connect, proxies, redirects: MAX_REDIRECTS });
  const silence = { head: timeouts.silence, body: timeouts.silence };
  return {
    get: async ({ href }, { headers, signal = aborted } = {}) => {
      const { name, url, authorization } = parseHttpUrl(href);
      try {
        const sent = { ...commonHeaders, ...(authorization !== undefined && { authorization }), ...headers };
        const response = await connection.request(url, { method: 'GET', headers: sent, silence, signal });
        note?.(describeRequest(name, headers, response.statusCode));
        return describeAnswer(response, url, name, maxUnannounced, signal);
      } catch (error) {
        throw describeFailure(error, name, signal);
      }
    },
    close: async () => connection.close(),
  };
}

/** A line for `--verbose`; `name` is the URL without credentials. */
function describeRequest(name: string, headers: GetOptions['headers'] = {}, status: number): string {
  const range = headers['range'] === undefined ? '' : ` (${headers['range']})`;
  return `GET ${name}${range}: ${status}`;
}

/** Compressed, ranges would count other bytes. */
const commonHeaders = { 'accept-encoding': 'identity', 'user-agent': 'ironic-coreos' };

export async function readAnswer({ parts }: HttpAnswer, name: string, maxBytes: number): Promise<Uint8Array> {
  const tooLarge = (): CliError =>
    new CliError(`${name} is too large: more than ${formatSizeInWords(maxBytes)}`, { code: 'ERR_TOO_LARGE' });
  return readAll(parts, maxBytes, tooLarge);
}

function describeAnswer(
  response: RawResponse,
  url: URL,
  name: string,
  maxUnannounced: number,
  signal?: AbortSignal,
): HttpAnswer {
  const { statusCode: status, body, history } = response;
  const headers = firstOfEach(response.headers);
  const dismiss = (): void => body.dismiss();
  if (status !== 200 && status !== 206 && status !== 416) {
    dismiss();
    throw describeStatus(status, name, headers.get('retry-after'));
  }
  const limit = headers.has('content-length') ? Infinity : maxUnannounced;
  return { status, headers, urls: [url, ...history], parts: lendParts(body, name, limit, signal), dismiss };
}

function firstOfEach(headers: RawResponse['headers']): ReadonlyMap<string, string> {
  const firsts = new Map<string, string>();
  for (const [name, value] of Object.entries(headers)) {
    const first = Array.isArray(value) ? value[0] : value;
    if (first !== undefined) firsts.set(name, first);
  }
  return firsts;
}

async function* lendParts(
  body: AsyncIterable<Uint8Array>,
  name: string,
  limit: number,
  signal?: AbortSignal,
): AsyncGenerator<Uint8Array, void> {
  let left = limit;
  try {
    for await (const part of body) {
      left -= part.length;
      if (left < 0) {
        throw new CliError(
          `${name} is too large: more than ${formatSizeInWords(limit)}, and the server sends no length`,
          {
            code: 'ERR_TOO_LARGE',
            hint: 'use a server that sends the header Content-Length',
          },
        );
      }
      yield part;
    }
  } catch (error) {
    throw describeFailure(error, name, signal);
  }
}
