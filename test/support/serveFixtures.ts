/** A service with images in memory, started on a free port, and clients that speak to it over real sockets. */

import { readerOf } from '../../src/image/overlay.ts';
import { readFileSync } from 'node:fs';
import { request as httpRequest, type RequestOptions } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { type AccessRules, createAccessCheck } from '../../src/http/server/accessCheck.ts';
import { createReadyPage, healthPage, type Page } from '../../src/http/server/pages.ts';
import { createAnswerer, type Service } from '../../src/http/server/requests.ts';
import {
  defaultLimits,
  type RunningServer,
  type ServerLimits,
  type ServerOptions,
  startServer,
} from '../../src/http/server/server.ts';
import { createServerLog } from '../../src/http/server/serverLog.ts';
import { entryOf, type ServedResource } from '../../src/http/server/answer/resource.ts';
import { createSigner } from '../../src/http/server/answer/signedPath.ts';
import { createTransferLog } from '../../src/http/server/answer/transfers.ts';
import { WAIT_LIMIT } from './patience.ts';

/**
 * Certificates and keys for 2026 to 2126, made with openssl (EC, P-256): `ca` has signed `server` and `renewed` (for
 * localhost, 127.0.0.1, ::1; serverAuth) and `client` (clientAuth), `other-ca` has signed `stranger` (clientAuth).
 * `encrypted-key` is the key of `server` with the passphrase `test`. The keys of the authorities are lost.
 */
export const tlsFile = (name: string): string => join(import.meta.dirname, 'tls', `${name}.pem`);
export const tlsText = (name: string): string => readFileSync(tlsFile(name), 'utf8');

export const signer = createSigner(Buffer.alloc(32, 'k'));
export const token = 'operator-token-0123456789';

/** Bytes that tell each stretch of an image from any other. */
export function patternOf(size: number, seed = 1): Buffer {
  const bytes = Buffer.allocUnsafe(size);
  let state = seed >>> 0;
  for (let index = 0; index < size; index++) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    bytes[index] = state >>> 24;
  }
  return bytes;
}

export interface FixtureResource extends ServedResource {
  readonly bytes: Buffer;
  /** How often it was opened, and how many of these are open now. */
  readonly opened: { count: number; now: number };
}

export function memoryResource(
  fields: Partial<ServedResource> & Pick<ServedResource, 'fileName'>,
  bytes: Buffer,
): FixtureResource {
  const opened = { count: 0, now: 0 };
  return {
    artifact: 'iso',
    host: undefined,
    contentType: 'application/octet-stream',
    size: bytes.length,
    etag: `"${fields.fileName}"`,
    lastModified: new Date('2026-11-01T10:00:00Z'),
    open: async () => {
      opened.count += 1;
      opened.now += 1;
      return {
        ...readerOf(bytes.length, async (target, offset) => void bytes.copy(target, 0, offset)),
        close: async () => {
          opened.now -= 1;
        },
      };
    },
    ...fields,
    bytes,
    opened,
  };
}

export interface Fixture {
  readonly server: RunningServer;
  readonly resources: Map<string, ServedResource>;
  readonly iso: FixtureResource;
  readonly small: FixtureResource;
  /** Lines of the log as values. */
  readonly lines: Record<string, unknown>[];
  readonly transfers: Service['transfers'];
  readonly notReady: { reason: string | undefined };
  /** Requests that hold the catalog now. */
  readonly held: { count: number };
}

export interface FixtureOptions extends Partial<Pick<ServerOptions, 'tls' | 'listen' | 'tlsInterval'>> {
  readonly limits?: Partial<ServerLimits>;
  readonly rules?: Partial<AccessRules>;
  readonly pages?: readonly (readonly [string, Page])[];
}

/** Bytes of the image of worker-0: more than the buffers of both ends of a connection take. */
export const ISO_SIZE = 16 * 1024 * 1024 + 17;
const isoBytes = patternOf(ISO_SIZE);
/** Bytes of the minimal image of worker-0. */
export const SMALL_SIZE = 100_003;
const smallBytes = patternOf(SMALL_SIZE, 3);

const started = new Set<RunningServer>();

export async function startFixture(options: FixtureOptions = {}): Promise<Fixture> {
  const iso = memoryResource({ fileName: 'worker-0.iso', host: 'worker-0' }, isoBytes);
  const small = memoryResource({ fileName: 'worker-0-minimal.iso', host: 'worker-0' }, smallBytes);
  const script = { artifact: 'script', contentType: 'text/plain' } as const;
  const resources = new Map<string, ServedResource>([
    ['worker-0.iso', iso],
    ['worker-0-minimal.iso', small],
    ['worker-1.iso', memoryResource({ fileName: 'worker-1.iso', host: 'worker-1' }, patternOf(1000, 2))],
    [
      'images/1/kernel',
      memoryResource({ fileName: 'kernel', artifact: 'kernel' }, Buffer.from('the kernel')),
    ],
    ['boot.ipxe', memoryResource({ fileName: 'boot.ipxe', ...script }, Buffer.from('#!ipxe'))],
  ]);
  const lines: Record<string, unknown>[] = [];
  const output = new Writable({
    write: (chunk, _encoding, done) => {
      const line: Record<string, unknown> = JSON.parse(String(chunk));
      lines.push(line);
      done();
    },
  });
  const log = createServerLog(output, 'json');
  const notReady: Fixture['notReady'] = { reason: undefined };
  const held = { count: 0 };
  const transfers = createTransferLog();
  const access = createAccessCheck({ signer, tokens: [token], isOpen: false, ...options.rules });
  const limits = { ...defaultLimits, ...options.limits };
  const service: Service = {
    catalog: () => ({
      acquire: () => {
        held.count += 1;
        return () => void (held.count -= 1);
      },
      find: (path) => {
        const resource = resources.get(path);
        return resource === undefined ? undefined : entryOf(resource);
      },
    }),
    access,
    transfers,
    log,
    pages: new Map([
      ['healthz', healthPage],
      ['readyz', createReadyPage(() => notReady.reason)],
      ['', statusPage],
      ...(options.pages ?? []),
    ]),
  };
  const server = await startServer({
    listen: options.listen ?? { kind: 'tcp', host: '127.0.0.1', port: 0 },
    tls: options.tls,
    limits,
    answer: createAnswerer(service),
    log,
    ...(options.tlsInterval === undefined ? {} : { tlsInterval: options.tlsInterval }),
  });
  started.add(server);
  return { server, resources, iso, small, lines, transfers, notReady, held };
}

/** Ends all that were started; for `afterEach`. */
export async function stopFixtures(): Promise<void> {
  await Promise.all([...started].map((server) => server.stop(0)));
  started.clear();
}

const statusPage: Page = {
  isPublic: false,
  answer: ({ query }) => ({
    status: 200,
    headers: { 'Content-Type': 'text/html' },
    body: `<p>worker-0 ${query.get('q') ?? ''}</p>`,
  }),
};

export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer;
  readonly text: string;
}

/** Asks for a path as it stands: nothing is normalised. */
export function ask(origin: string, path: string, options: Asking = {}): Promise<Reply> {
  const { body, ...rest } = options;
  const { protocol, hostname, port } = new URL(origin);
  const start = protocol === 'https:' ? httpsRequest : httpRequest;
  return new Promise((resolve, reject) => {
    const host = hostname.replace(/^\[|\]$/g, '');
    const request = start({ agent: false, ...rest, host, port, path }, (response) => {
      const parts: Buffer[] = [];
      response.on('data', (part: Buffer) => parts.push(part));
      response.on('error', reject);
      response.on('end', () => {
        const all = Buffer.concat(parts);
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          body: all,
          text: all.toString(),
        });
      });
    });
    request.on('error', reject);
    request.end(body);
  });
}

export type Asking = RequestOptions & {
  readonly body?: string;
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
};

export const asOperator = { headers: { authorization: `Bearer ${token}` } };

/** A socket that is written to by hand. */
export interface RawClient {
  readonly socket: Socket;
  write(text: string): void;
  /** All that came until the other side closed. */
  readonly ended: Promise<string>;
}

export function rawClient(port: number, { allowHalfOpen = false } = {}): RawClient {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen });
  const parts: Buffer[] = [];
  socket.on('data', (part) => parts.push(part));
  socket.on('error', () => undefined);
  const ended = new Promise<string>((resolve) => {
    socket.once('close', () => resolve(Buffer.concat(parts).toString('latin1')));
  });
  return { socket, ended, write: (text) => void socket.write(text, 'latin1') };
}

/** Sends the text and waits for the other side to close. */
export async function exchangeRaw(port: number, text: string): Promise<string> {
  const client = rawClient(port);
  client.write(text);
  return client.ended;
}

/** Waits until something is so. */
export async function until(isSo: () => boolean, milliseconds = WAIT_LIMIT): Promise<void> {
  const end = Date.now() + milliseconds;
  while (!isSo()) {
    if (Date.now() > end) throw new Error(`not so after ${milliseconds} ms`);
    await new Promise((resolve) => void setTimeout(resolve, 5));
  }
}
