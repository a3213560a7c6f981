/** A container registry with one image, `ironic-agent:latest` (OCI Distribution Specification 1.1, pull only). */

import { once } from 'node:events';
import { createReadStream, readFileSync, statSync } from 'node:fs';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { createServer as createHttpServer } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { join } from 'node:path';
import type { KeyPair } from './certificates.ts';

export interface RegistryOptions {
  /** The folder of an OCI layout. */
  readonly layout: string;
  readonly port: number;
  /** HTTPS with this certificate; default: HTTP. */
  readonly tls?: KeyPair;
  /** `name:password` that clients must send. */
  readonly login?: string;
}

export interface Registry {
  /** `METHOD PATH STATUS` of each request. */
  readonly requests: readonly string[];
  readonly close: () => void;
}

export async function startRegistry({ layout, login, port, tls }: RegistryOptions): Promise<Registry> {
  const requests: string[] = [];
  const listener: RequestListener = (request, response) => {
    response.on('close', () => requests.push(`${request.method} ${request.url} ${response.statusCode}`));
    answer(request, response, layout, login);
  };
  const server = tls === undefined ? createHttpServer(listener) : createHttpsServer(tls, listener);
  server.listen(port);
  await once(server, 'listening');
  return {
    requests,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

interface Descriptor {
  readonly mediaType: string;
  readonly digest: string;
}

function answer(request: IncomingMessage, response: ServerResponse, layout: string, login?: string): void {
  const expected = login === undefined ? undefined : `Basic ${Buffer.from(login).toString('base64')}`;
  if (expected !== undefined && request.headers.authorization !== expected) {
    response.setHeader('www-authenticate', 'Basic realm="chain"');
    return fail(response, 401, 'UNAUTHORIZED', 'authentication required');
  }
  const index: { manifests: [Descriptor] } = JSON.parse(readFileSync(join(layout, 'index.json'), 'utf8'));
  const [manifest] = index.manifests;
  const [, kind, reference = ''] =
    /^\/v2\/ironic-agent\/(manifests|blobs)\/([\w:.-]+)$/.exec(request.url ?? '') ?? [];
  if (/^\/v2\/?$/.test(request.url ?? '')) {
    response.setHeader('docker-distribution-api-version', 'registry/2.0');
    response.end('{}');
  } else if (kind === 'manifests' && ['latest', manifest.digest].includes(reference)) {
    send(request, response, layout, manifest);
  } else if (kind === 'blobs' && /^sha256:[0-9a-f]{64}$/.test(reference)) {
    send(request, response, layout, { mediaType: 'application/octet-stream', digest: reference });
  } else {
    fail(response, 404, 'MANIFEST_UNKNOWN', 'manifest unknown');
  }
}

function send(request: IncomingMessage, response: ServerResponse, layout: string, blob: Descriptor): void {
  const file = join(layout, 'blobs/sha256', blob.digest.replace('sha256:', ''));
  response.writeHead(200, {
    'content-type': blob.mediaType,
    'content-length': statSync(file).size,
    'docker-content-digest': blob.digest,
  });
  if (request.method === 'HEAD') response.end();
  else
    createReadStream(file)
      .on('error', () => response.destroy())
      .pipe(response);
}

function fail(response: ServerResponse, status: number, code: string, message: string): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ errors: [{ code, message }] }));
}
