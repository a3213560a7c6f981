/** A connection to a server: of downloads, to a BMC, an API server or an agent. */

import type { IncomingHttpHeaders } from 'node:http';
import type { ConnectionOptions } from 'node:tls';
import type { HttpProxies } from './httpUrl.ts';

export interface Endpoint {
  /** Milliseconds to connect. */
  readonly connectTime: number;
  /** Certificates are verified, unless it says otherwise. */
  readonly tls?: Pick<
    ConnectionOptions,
    'ca' | 'cert' | 'key' | 'rejectUnauthorized' | 'secureContext' | 'servername'
  >;
  readonly proxies?: HttpProxies;
  /** Number of redirects that are followed. Default: 0. */
  readonly redirects?: number;
  /** Milliseconds that an unused connection stays open. Default: that of undici. */
  readonly keepAlive?: number;
  /** Called when a socket is connected, and again when its TLS handshake is complete. */
  readonly reached?: (layer: 'tcp' | 'tls') => void;
}

export interface SentRequest {
  readonly method: 'DELETE' | 'GET' | 'PATCH' | 'POST';
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
  /**
   * Milliseconds without a response, and between two parts of one. While the reader is busy no time passes. Undefined if the
   * caller limits the time.
   */
  readonly silence?: { readonly head: number; readonly body: number };
  readonly signal?: AbortSignal | undefined;
}

/** The head of a response, and its body, which has not been read yet. */
export interface RawResponse {
  readonly statusCode: number;
  /** By names in lower case. */
  readonly headers: IncomingHttpHeaders;
  /** The URLs of the redirects, in order. */
  readonly history: readonly URL[];
  readonly body: ResponseBody;
}

/** Is read once, or dismissed. Leaving early ends the connection. Throws errors of undici and of the system. */
interface ResponseBody extends AsyncIterable<Uint8Array> {
  /** Ends the connection. */
  dismiss(): void;
}

export interface HttpConnection {
  /** @throws errors of undici and of the system */
  request(url: URL, sent: SentRequest): Promise<RawResponse>;
  /** Ends all requests. */
  close(): Promise<void>;
}
