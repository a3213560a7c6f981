/** The connection to a BMC with undici. Redirects are not followed, and proxies are not used. Loaded on demand. */

import { Agent, type Dispatcher } from 'undici';
import { exchange, type RawResponse } from '../http/httpExchange.ts';

export interface ConnectionSettings {
  /** `https://192.0.2.10` */
  readonly origin: string;
  /** CA certificates in PEM; undefined for those of Node.js. */
  readonly ca: string | undefined;
  /** Whether to accept any certificate. */
  readonly isInsecure: boolean;
}

type Sent = Pick<Dispatcher.DispatchOptions, 'body' | 'headers' | 'method' | 'path'>;

export class RedfishConnection {
  readonly #agent: Agent;
  readonly #origin: string;

  /** @param timeout milliseconds to connect */
  constructor({ ca, isInsecure, origin }: ConnectionSettings, timeout: number) {
    const connect = { timeout, rejectUnauthorized: !isInsecure, ...(ca !== undefined && { ca }) };
    // BMCs have few connections, and answer one request at a time.
    this.#agent = new Agent({ connect, connections: 1, pipelining: 1 });
    this.#origin = origin;
  }

  /** The caller limits the time of the whole exchange. Throws errors of undici and of the system. */
  async request(sent: Sent, signal: AbortSignal): Promise<RawResponse> {
    const limits = { headersTimeout: 0, bodyTimeout: 0 };
    return exchange(this.#agent, { ...sent, ...limits, signal, origin: this.#origin });
  }

  async close(): Promise<void> {
    await this.#agent.destroy();
  }
}
