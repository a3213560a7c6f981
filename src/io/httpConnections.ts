/** Connections to servers, by undici: proxies, redirects, timeouts, and TLS that is always verified. Loaded on demand. */

import { setFlagsFromString } from 'node:v8';
import { Agent, type Dispatcher, EnvHttpProxyAgent, interceptors, request } from 'undici';
import type { HttpProxies } from './httpProxies.ts';

/** Milliseconds. */
export interface HttpTimeouts {
  readonly connect: number;
  /** Without an answer, or between two parts of one. While the reader is busy no time passes. */
  readonly silence: number;
}

export interface HttpConnections {
  /** @throws errors of undici and of the system */
  request(url: URL, options: RequestOptions): Promise<Dispatcher.ResponseData>;
  close(): Promise<void>;
}

interface RequestOptions {
  readonly headers: Readonly<Record<string, string>>;
  readonly signal: AbortSignal | undefined;
}

const MAX_REDIRECTS = 10;
/** Bytes beyond which nothing more is read ahead: what comes in several pieces would be copied into one. */
const READ_AHEAD = 0;

export function openConnections(proxies: HttpProxies, { connect, silence }: HttpTimeouts): HttpConnections {
  const { dispatcher, close } = createDispatcher(proxies, connect);
  let isParserReady = false;
  return {
    request: async (url, options) => {
      if (!isParserReady) setParserOptimized(false);
      try {
        return await request(url, {
          ...options,
          dispatcher,
          headersTimeout: silence,
          bodyTimeout: silence,
          highWaterMark: READ_AHEAD,
        });
      } finally {
        if (!isParserReady) setParserOptimized(true);
        isParserReady = true;
      }
    },
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

/** The last version of Node of which is known that it has these flags. */
const NEWEST_KNOWN = 24;

/**
 * undici's parser is WebAssembly, which is compiled with the first connection. To have it optimized takes 35 MiB, more
 * than everything else of a transfer, and saves no time that could be measured.
 */
function setParserOptimized(isOptimized: boolean): void {
  if (Number.parseInt(process.versions.node, 10) > NEWEST_KNOWN) return;
  for (const flag of ['wasm-tier-up', 'wasm-dynamic-tiering']) {
    setFlagsFromString(isOptimized ? `--${flag}` : `--no-${flag}`);
  }
}
