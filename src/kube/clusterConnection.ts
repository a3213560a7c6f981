/** The connection to an API server with undici. TLS is always verified; redirects are not followed. Loaded on demand. */

import { Agent, type Dispatcher, EnvHttpProxyAgent } from 'undici';
import { exchange, type RawResponse } from '../http/client/httpExchange.ts';
import type { ClusterConfig } from './clusterConfig.ts';

/** Milliseconds. */
export interface ApiTimeouts {
  readonly connect: number;
  /** Until a response starts, and between two parts of a response. */
  readonly answer: number;
  /** Between two events or bookmarks of a watch; API servers send a bookmark each minute. */
  readonly watch: number;
}

export interface ClusterConnection {
  /** @throws errors of undici and of the system */
  request(target: string, sent: SentRequest): Promise<RawResponse>;
  close(): Promise<void>;
}

export interface SentRequest {
  readonly method: 'GET' | 'POST' | 'PATCH';
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
  readonly signal: AbortSignal;
  readonly isWatch: boolean;
}

/** API servers keep idle connections open for a few minutes, load balancers sometimes only for one. */
const KEEP_ALIVE = 50_000;

export function openClusterConnection(config: ClusterConfig, timeouts: ApiTimeouts): ClusterConnection {
  const dispatcher = createDispatcher(config, timeouts.connect);
  return {
    request: async (target, { isWatch, body, ...sent }) => {
      const { origin, pathname, search } = new URL(`${config.server}${target}`);
      return exchange(dispatcher, {
        ...sent,
        origin,
        path: `${pathname}${search}`,
        body: body ?? null,
        headersTimeout: timeouts.answer,
        bodyTimeout: isWatch ? timeouts.watch : timeouts.answer,
      });
    },
    close: async () => dispatcher.destroy(),
  };
}

function createDispatcher({ server, tls, serverName, proxies }: ClusterConfig, timeout: number): Dispatcher {
  const name = serverName === undefined ? {} : { servername: serverName };
  const connect = { ...tls, ...name, rejectUnauthorized: true, timeout };
  const shared = { connect, keepAliveTimeout: KEEP_ALIVE };
  // A plain-HTTP API server is on this machine.
  if (proxies.https === '' || server.startsWith('http:')) return new Agent(shared);
  return new EnvHttpProxyAgent({
    ...shared,
    requestTls: connect,
    httpProxy: '',
    httpsProxy: proxies.https,
    noProxy: proxies.except,
  });
}
