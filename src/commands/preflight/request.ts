/** One request as a program of a host sends it: through its proxy, with its CA certificates. */

import type { IncomingHttpHeaders } from 'node:http';
import { createSecureContext, rootCertificates, type SecureContext } from 'node:tls';
import type { ServerAccess } from '../../agent/contacts.ts';
import { CliError } from '../../core/errors.ts';
import { formatCount, formatSizeInWords } from '../../formats/messageText.ts';
import { connect } from '../../http/client/connect.ts';
import { failureOf, TransferError } from '../../http/client/httpErrors.ts';
import { parseHttpUrl, shownUrl } from '../../http/client/httpUrl.ts';
import { limitTime } from '../../io/clock.ts';
import { readAll } from '../../io/files/files.ts';
import { proxyOf } from '../../network/noProxy.ts';

export interface Limits {
  /** Milliseconds for each request. */
  readonly time: number;
  readonly signal: AbortSignal;
}

export interface ReadAnswer {
  readonly status: number;
  /** By names in small letters. */
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

const MAX_REDIRECTS = 10;

/** By the CA certificates: Node takes longer to read the public ones than a request takes. */
const contexts = new Map<string, SecureContext>();

/**
 * Follows redirects; credentials are only sent to the host of the URL.
 * @param maxBytes of the body; 0 if it is not read
 * @throws TransferError without a whole response
 */
export async function request(
  href: URL,
  { cas, hasPublicCas, isVerified, reader, variables }: ServerAccess,
  { signal, time }: Limits,
  headers: Readonly<Record<string, string>>,
  maxBytes: number,
): Promise<ReadAnswer> {
  const { authorization, name, url } = parseHttpUrl(href.href);
  const proxy = proxyOf(url, variables, reader);
  const key = JSON.stringify([hasPublicCas, cas]);
  const ca = [...(hasPublicCas ? rootCertificates : []), ...cas];
  const secureContext = contexts.get(key) ?? createSecureContext({ ca });
  contexts.set(key, secureContext);
  let awaited = 'the connection';
  const connection = connect({
    connectTime: time,
    redirects: MAX_REDIRECTS,
    ...(proxy !== undefined && { proxies: { http: proxy.href, https: proxy.href, except: '' } }),
    tls: { rejectUnauthorized: isVerified, secureContext },
    reached: (layer) => {
      awaited = layer === 'tcp' && url.protocol === 'https:' ? 'the TLS handshake' : 'the response';
    },
  });
  const limit = limitTime(time, { signal });
  try {
    const own = { 'accept-encoding': 'identity', 'user-agent': 'ironic-coreos' };
    const sent = { ...own, ...(authorization !== undefined && { authorization }), ...headers };
    const response = await connection.request(url, { method: 'GET', headers: sent, signal: limit.signal });
    awaited = 'the rest of the response';
    const tooLarge = (): CliError =>
      new TransferError(`${name}: the response is larger than ${formatSizeInWords(maxBytes)}`);
    const body = maxBytes === 0 ? [] : await readAll(response.body, maxBytes, tooLarge);
    return { status: response.statusCode, headers: response.headers, body: Buffer.from(body) };
  } catch (error) {
    if (error instanceof CliError) throw error;
    const through = proxy === undefined ? '' : ` through the proxy ${shownUrl(proxy)}`;
    let { hint, kind = 'connection', problem = 'the connection failed' } = failureOf(error) ?? {};
    if (limit.signal.aborted) {
      problem = `no response within ${formatCount(Math.round(time / 1000), 'second')}, waiting for ${awaited}`;
      hint = 'check firewalls and routes between this network and the server, or use a longer --timeout';
    } else if (kind === 'trust')
      hint = 'set ironic.caFiles to the file with the CA certificate of the server';
    const code = kind === 'trust' ? 'ERR_TLS' : 'ERR_NETWORK';
    throw new TransferError(`${name}: ${problem}${through}`, { code, hint, cause: error });
  } finally {
    limit.release();
    await connection.close(); // also ends a body that is not read
  }
}
