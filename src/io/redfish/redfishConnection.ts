/** The connection to a BMC with undici. Redirects are not followed, and proxies are not used. Loaded on demand. */

import { Agent } from 'undici';
import { exchange, type RawResponse, withPlainParser } from '../http/httpExchange.ts';

export interface RedfishConnection {
  /** @throws errors of undici and of the system */
  request(path: string, sent: BmcRequest): Promise<RawResponse>;
  close(): Promise<void>;
}

export interface BmcRequest {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
  readonly signal: AbortSignal;
}

export interface ConnectionSettings {
  /** `https://192.0.2.10` */
  readonly origin: string;
  /** CA certificates in PEM; undefined for those of Node.js. */
  readonly ca: string | undefined;
  /** Whether to accept any certificate. */
  readonly isInsecure: boolean;
  /** Milliseconds. */
  readonly connectTimeout: number;
}

export function openRedfishConnection({
  ca,
  connectTimeout: timeout,
  isInsecure,
  origin,
}: ConnectionSettings): RedfishConnection {
  const connect = { timeout, rejectUnauthorized: !isInsecure, ...(ca !== undefined && { ca }) };
  // BMCs have few connections, and answer one request at a time.
  const agent = new Agent({ connect, connections: 1, pipelining: 1 });
  return {
    // The caller limits the time of the whole exchange.
    request: async (path, { body, ...sent }) =>
      withPlainParser(() =>
        exchange(agent, { ...sent, origin, path, body: body ?? null, headersTimeout: 0, bodyTimeout: 0 }),
      ),
    close: async () => agent.destroy(),
  };
}
