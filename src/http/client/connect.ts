/** Opens connections. undici is loaded for the first request. */

import type { Endpoint, HttpConnection } from './connection.ts';

/** Connects with the first request. */
export function connect(endpoint: Endpoint): HttpConnection {
  let opened: Promise<HttpConnection> | undefined;
  const open = async (): Promise<HttpConnection> => {
    // The first use of this class creates Node's own connections for the global `fetch`; otherwise `fetch` would use those of undici.
    Reflect.get(globalThis, 'Headers');
    return (await import('./undiciConnection.ts')).openConnection(endpoint);
  };
  return {
    request: async (url, sent) => (await (opened ??= open())).request(url, sent),
    close: async () => (await opened)?.close(),
  };
}
