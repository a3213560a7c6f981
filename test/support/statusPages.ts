/** A server with a status page, for tests in a browser. */

import { createServer } from 'node:http';
import type { TextAnswer } from '../../src/http/server/textResponse.ts';
import { listenLocally } from './listening.ts';

export interface StatusServer {
  readonly url: string;
  /** The paths that browsers have requested. */
  readonly requests: string[];
  close(): void;
}

export async function startStatusServer(
  answer: (query: URLSearchParams, accept: string) => TextAnswer,
): Promise<StatusServer> {
  const requests: string[] = [];
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://localhost');
    requests.push(request.url ?? '');
    if (pathname !== '/') {
      response.end(`<title>${pathname}</title>`);
      return;
    }
    const { body, headers, status } = answer(searchParams, request.headers.accept ?? '');
    response.writeHead(status, headers).end(body);
  });
  const url = `http://127.0.0.1:${await listenLocally(server)}/`;
  return { url, requests, close: () => void server.close() };
}
