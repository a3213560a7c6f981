/** Connections to servers, by undici: proxies, redirects, timeouts, and TLS that is always verified. Loaded on demand. */

import { Agent, type Dispatcher, EnvHttpProxyAgent, interceptors } from 'undici';
import { type Answer, exchange } from './httpExchange.ts';
import { withPlainParser } from './httpParser.ts';
import type { HttpProxies } from './httpProxies.ts';

/** Milliseconds. */
export interface HttpTimeouts {
  readonly connect: number;
  /** Without an answer, or between two parts of one. While the reader is busy no time passes. */
  readonly silence: number;
}

export interface HttpConnections {
  /** @throws errors of undici and of the system */
  request(url: URL, options: RequestOptions): Promise<Answer>;
  close(): Promise<void>;
}

interface RequestOptions {
  readonly headers: Readonly<Record<string, string>>;
  readonly signal: AbortSignal | undefined;
}

const MAX_REDIRECTS = 10;

export function openConnections(proxies: HttpProxies, { connect, silence }: HttpTimeouts): HttpConnections {
  const { dispatcher, close } = createDispatcher(proxies, connect);
  return {
    request: async ({ origin, pathname, search }, options) =>
      withPlainParser(() =>
        exchange(dispatcher, {
          ...options,
          origin,
          path: `${pathname}${search}`,
          method: 'GET',
          headersTimeout: silence,
          bodyTimeout: silence,
        }),
      ),
    close,
  };
}

/**
 * undici takes the proxy for http:// also for https:// where that has none, which no other program does; so each has its
 * own agent.
 */
function createDispatcher(
  { http, https, except: noProxy }: HttpProxies,
  timeout: number,
): { readonly dispatcher: Dispatcher; readonly close: () => Promise<void> } {
  const shared = { connect: { timeout, highWaterMark: 1 }, proxyTunnel: false, noProxy };
  const plain = new EnvHttpProxyAgent({ ...shared, httpProxy: http, httpsProxy: '' });
  const secure = new EnvHttpProxyAgent({ ...shared, httpProxy: '', httpsProxy: https });
  const dispatcher = new Agent().compose(
    () => (options, handler) =>
      (String(options.origin).startsWith('https:') ? secure : plain).dispatch(options, handler),
    interceptors.redirect({ maxRedirections: MAX_REDIRECTS }),
  );
  return { dispatcher, close: async () => void (await Promise.all([plain.destroy(), secure.destroy()])) };
}
