/** A server that answers as a test says, in the place of an API server of Kubernetes: for all that a real one does seldom. */

import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import type { ClusterConfig } from '../../src/kube/clusterConfig.ts';
import { listenLocally } from './listening.ts';

interface FakeRequest {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** JSON; undefined for none. */
  readonly body: unknown;
}

/** Answers one request, or all from then on. */
export type Answer = (response: ServerResponse, request: FakeRequest) => void;

export interface FakeApiServer {
  readonly config: ClusterConfig;
  readonly requests: FakeRequest[];
  /** Answers of the next requests, in order; the last one answers all further ones, too. */
  readonly answers: Answer[];
  /** Connections that are open. */
  readonly connections: () => Promise<number>;
  readonly close: () => Promise<void>;
}

export const TOKEN = 'fake-token-of-the-test';

export async function startFakeApiServer(): Promise<FakeApiServer> {
  const requests: FakeRequest[] = [];
  const answers: Answer[] = [];
  const server = createServer((incoming, response) => {
    void (async () => {
      const url = new URL(incoming.url ?? '/', 'http://fake');
      const body = await text(incoming).catch(() => '');
      const request: FakeRequest = {
        method: incoming.method ?? '',
        path: url.pathname,
        query: url.searchParams,
        headers: incoming.headers,
        body: body === '' ? undefined : (JSON.parse(body) as unknown),
      };
      requests.push(request);
      const answer = answers.length > 1 ? answers.shift() : answers[0];
      if (answer === undefined) response.writeHead(500).end('the test has no answer for this');
      else answer(response, request);
    })();
  });
  const port = await listenLocally(server);
  return {
    requests,
    answers,
    config: {
      description: 'the fake one',
      server: `http://127.0.0.1:${port}`,
      tls: {},
      serverName: undefined,
      proxies: { http: '', https: '', except: '' },
      namespace: 'metal3',
      readToken: async () => TOKEN,
    },
    connections: () =>
      new Promise((resolve, reject) => {
        server.getConnections((error, count) => (error === null ? resolve(count) : reject(error)));
      }),
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

export const objectNamed = (name: string, version: number, fields: object = {}): object => ({
  metadata: { namespace: 'metal3', name, resourceVersion: String(version) },
  ...fields,
});

export const json =
  (body: unknown, status = 200, headers: Record<string, string> = {}) =>
  (response: ServerResponse): void => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
  };

export const refusal = (code: number, reason: string, headers: Record<string, string> = {}) =>
  json({ kind: 'Status', code, reason, message: `said about ${reason}` }, code, headers);

export const listOf = (version: number, items: readonly object[], next = '') =>
  json({ kind: 'List', metadata: { resourceVersion: String(version), continue: next }, items });

export const event = (type: string, object: unknown): string => `${JSON.stringify({ type, object })}\n`;

/** A watch that says the lines, and then ends as it should, breaks off, or goes on in silence. */
export const watching =
  (lines: readonly string[], end: 'ends' | 'breaks off' | 'goes on'): Answer =>
  (response) => {
    response.writeHead(200);
    response.flushHeaders();
    const finish = (): void => {
      if (end === 'ends') response.end();
      if (end === 'breaks off') response.destroy();
    };
    response.write(lines.join(''), finish);
  };
