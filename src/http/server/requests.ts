/**
 * Answers requests: checks the request and its credentials, finds the resource, and sends the requested range. Each request
 * results in one log event, also after an error.
 */

import type { IncomingMessage, ServerResponse } from 'node:http';
import { CliError } from '../../core/errors.ts';
import { parseRequestPath } from './answer/requestPath.ts';
import { ownerOf, permits } from './answer/access.ts';
import type { ByteRange } from '../../image/overlay.ts';
import { answerFor } from './answer/answer.ts';
import type { Catalog, CatalogEntry, ServedResource } from './answer/resource.ts';
import type { TransferLog } from './answer/transfers.ts';
import { type AccessCheck, hasClientCertificate } from './accessCheck.ts';
import { type BlockPool, createBlockPool } from './blockPool.ts';
import { ClientGone } from './clientConnection.ts';
import { clientAddress } from './connections.ts';
import type { Answerer, ExchangeContext } from './exchanges.ts';
import type { Page } from './pages.ts';
import { sendBody } from './sendBody.ts';
import { hasBody, type PlainAnswer, plainText, sendPlainAnswer, sendText } from './textResponse.ts';
import type { RequestEvent, ServerLog } from './serverLog.ts';

/** The sources of the answers. The catalog is read for each request, as a reload replaces it. */
export interface Service {
  readonly catalog: () => Catalog;
  readonly access: AccessCheck;
  readonly transfers: TransferLog;
  readonly log: ServerLog;
  /** By path without the leading slash; the empty path is the status page. */
  readonly pages: ReadonlyMap<string, Page>;
  readonly watch?: (event: RequestEvent) => void;
  /** Receives requests for files that are answered with 401 or 404. */
  readonly refused?: ((request: RefusedFile) => void) | undefined;
}

export interface RefusedFile {
  /** IP address. */
  readonly client: string;
  readonly status: number;
  /** Without a key, decoded. It may contain a secret, so it is not shown unless it is known to be the name of a file. */
  readonly path: string;
  /** `no-key`: the path has no key. `invalid-key`: its key has expired, or is of another key file. `not-served`: the path is unknown. */
  readonly reason: 'no-key' | 'invalid-key' | 'not-served';
}

/** Characters of a user agent, in the log and on the status page. */
const MAX_AGENT_LENGTH = 120;

export function createAnswerer(service: Service): Answerer {
  const blocks = createBlockPool();
  let count = 0;
  return async (request, response, context) => {
    count += 1;
    const client = clientAddress(request.socket);
    const agent = request.headers['user-agent'];
    const userAgent =
      agent === undefined ? undefined : plainText(service.access.mask(agent), MAX_AGENT_LENGTH);
    const facts = { bytes: 0, userAgent };
    const exchange = { service, blocks, request, response, context, id: count, client, facts };
    const start = performance.now();
    response.setHeader('X-Request-Id', count);
    try {
      await answer(exchange);
    } catch (error) {
      fail(exchange, error);
    }
    report(exchange, (performance.now() - start) / 1000);
  };
}

interface Exchange {
  readonly service: Service;
  readonly blocks: BlockPool;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly context: ExchangeContext;
  readonly id: number;
  /** IP address; a closed socket no longer has it. */
  readonly client: string;
  readonly facts: {
    entry?: CatalogEntry;
    path?: string;
    bytes: number;
    outcome?: RequestEvent['outcome'];
    /** Without tokens, and in ASCII. */
    readonly userAgent: string | undefined;
    /** A probe, which is not logged. */
    isProbe?: boolean;
  };
}

async function answer(exchange: Exchange): Promise<void> {
  const { request, response, service, facts } = exchange;
  const refuse = (plain: PlainAnswer): void => sendPlainAnswer(request, response, plain);
  const problem = problemOf(request);
  if (problem !== undefined) return refuse(problem);
  const path = parseRequestPath(request.url ?? '');
  if (path === undefined) return refuse(notFound());
  const page = service.pages.get(path);
  if (page?.isPublic === true) {
    facts.isProbe = true;
    return sendPage(exchange, page);
  }

  const { headers, socket } = request;
  const admission = service.access.admit(path, headers.authorization, hasClientCertificate(socket));
  // The path is not logged: it may contain a secret that the client put there by mistake.
  const refuseFile = (plain: PlainAnswer, name: string, reason: RefusedFile['reason']): void => {
    const { client } = exchange;
    if (page === undefined) service.refused?.({ client, status: plain.status, path: name, reason });
    refuse(plain);
  };
  if (admission.kind === 'unauthenticated') return refuseFile(unauthorized, path, 'no-key');
  if (admission.kind === 'unknown')
    return refuseFile(notFound(), path.slice(path.indexOf('/') + 1), 'invalid-key');
  const { grant } = admission;
  const isOperator = grant.kind === 'all';
  if (isOperator && page !== undefined) return sendPage(exchange, page);

  const catalog = service.catalog();
  const entry = catalog.find(admission.path, ownerOf(grant));
  if (entry === 'ambiguous') return refuse(ambiguous(admission.path));
  // Without access, an entry does not exist, and is not built either.
  if (entry === undefined || !permits(grant, entry))
    return refuseFile(notFound(isOperator), admission.path, 'not-served');
  facts.entry = entry;
  facts.path = admission.path;
  const release = catalog.acquire();
  try {
    const resource = await entry.resource();
    if (resource === undefined) refuseFile(notFound(isOperator), admission.path, 'not-served');
    else await sendResource(exchange, resource, admission.path);
  } finally {
    release();
  }
}

/** The answer to a request that is invalid for every path. */
function problemOf(request: IncomingMessage): PlainAnswer | undefined {
  if (request.method !== 'GET' && request.method !== 'HEAD') return methodNotAllowed;
  if (hasBody(request)) return { status: 413, message: 'GET and HEAD requests must not have a body' };
  const [host = '', ...others] = request.headersDistinct['host'] ?? [];
  const isHost = /^[A-Za-z0-9._~%:[\]-]{0,262}$/.test(host);
  return others.length > 0 || !isHost ? { status: 400, message: 'invalid Host header' } : undefined;
}

const methodNotAllowed: PlainAnswer = {
  status: 405,
  message: 'method not allowed',
  hint: 'use GET or HEAD',
  headers: { Allow: 'GET, HEAD' },
};

const unauthorized: PlainAnswer = {
  status: 401,
  message: 'authentication required',
  hint: 'use the signed URL of the host; as an operator, send a token (Authorization: Bearer TOKEN, or as the password)',
  headers: {
    'WWW-Authenticate': ['Bearer realm="ironic-coreos"', 'Basic realm="ironic-coreos", charset="UTF-8"'],
  },
};

function notFound(isOperator = false): PlainAnswer {
  return {
    status: 404,
    message: 'this path is not served here',
    hint: isOperator
      ? 'open / to list the files'
      : 'check the file name, or get a new URL if this one has expired',
  };
}

function ambiguous(path: string): PlainAnswer {
  return {
    status: 409,
    message: `several hosts have a file named ${path}`,
    hint: 'use the URL of the host from the list at /',
  };
}

async function sendPage({ request, response, context, facts }: Exchange, page: Page): Promise<void> {
  const { url = '', headers } = request;
  const answered = await page.answer({
    query: new URLSearchParams(url.split('?')[1]),
    accept: headers.accept ?? '',
    isDraining: context.isDraining,
  });
  facts.bytes = sendText(request, response, answered);
}

async function sendResource(exchange: Exchange, resource: ServedResource, path: string): Promise<void> {
  const { service, blocks, request, response, context, id, client, facts } = exchange;
  const { status, headers, range } = answerFor(request.headers, resource);
  if (range === undefined || request.method === 'HEAD') {
    await resource.check?.();
    response.writeHead(status, headers).end();
    return;
  }
  const source = await resource.open();
  try {
    response.writeHead(status, headers);
    const { host, artifact, size, etag } = resource;
    const { userAgent } = facts;
    const transfer = service.transfers.begin({ id, client, host, path, artifact, size, etag, userAgent });
    const sent = (piece: ByteRange): void => {
      facts.bytes += piece.length;
      transfer.sent(piece);
    };
    try {
      await sendBody({ response, source, range, blocks, sent });
    } catch (error) {
      // A disconnected client is an outcome, not an error.
      facts.outcome = error instanceof ClientGone ? error.reason : 'failed';
      if (!(error instanceof ClientGone)) throw error;
      if (context.isAborting) facts.outcome = 'aborted';
    } finally {
      transfer.end(facts.outcome ?? 'complete');
    }
  } finally {
    await source.close();
  }
}

/** Logs the details for the operator; the client gets an answer without details. */
function fail({ service, request, response, id, facts }: Exchange, error: unknown): void {
  const isKnown = error instanceof CliError;
  service.log.note('error', isKnown ? 'cannot serve' : 'internal error', {
    id,
    path: facts.path,
    ...(isKnown
      ? { message: error.message, hint: error.hint }
      : { message: error instanceof Error ? (error.stack ?? error.message) : String(error) }),
  });
  facts.outcome = 'failed';
  if (response.headersSent) {
    response.destroy();
    return;
  }
  const message = isKnown ? 'this file is temporarily unavailable' : 'internal error';
  const hint = `ask the operator: the log contains the reason under request id ${id}`;
  sendPlainAnswer(request, response, { status: isKnown ? 503 : 500, message, hint });
}

function report({ service, request, response, id, client, facts }: Exchange, seconds: number): void {
  const event: RequestEvent = {
    id,
    client,
    method: request.method ?? '',
    artifact: facts.entry?.artifact,
    host: facts.entry?.host,
    path: facts.path,
    status: response.statusCode,
    bytes: facts.bytes,
    seconds,
    outcome: facts.outcome ?? 'complete',
    userAgent: facts.userAgent,
  };
  if (facts.isProbe !== true) service.log.request(event);
  service.watch?.(event);
}
