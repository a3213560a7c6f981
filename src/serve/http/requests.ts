/**
 * The one place where a request becomes an answer: what it asks for, whether that is granted, what it is, and how much of
 * it. Each ends in one event, whatever went wrong.
 */

import type { IncomingMessage, ServerResponse } from 'node:http';
import { CliError } from '../../core/errors.ts';
import { parseRequestPath } from '../../formats/http/requestPath.ts';
import { type Grant, ownerOf, permits } from '../answer/access.ts';
import { type AnsweredRequest, answerFor, type BodyPart } from '../answer/answer.ts';
import type { Catalog, CatalogEntry, ServedResource } from '../answer/resource.ts';
import { resemblesToken } from '../answer/signedPath.ts';
import type { Transfer, TransferLog } from '../answer/transfers.ts';
import { type AccessCheck, credentialsOf } from './accessCheck.ts';
import { type BufferPool, createBufferPool, sendBody } from './sendBody.ts';
import { ClientGone } from './clientConnection.ts';
import { clientAddress } from './connections.ts';
import type { Answerer, Situation } from './exchanges.ts';
import type { Page } from './pages.ts';
import { hasBody, type PlainAnswer, plainText, sendPlainAnswer } from './textResponse.ts';
import type { RequestEvent, ServerLog } from './serverLog.ts';

/** What requests are answered from. Catalog and access are asked for at each request: a reload puts others in their place. */
export interface Service {
  catalog(): Catalog;
  access(): AccessCheck;
  readonly transfers: TransferLog;
  readonly log: ServerLog;
  /** Milliseconds after which a client is cut off that takes nothing. */
  readonly idleTimeout: number;
  /** By their paths without the slash at the start: empty for the status page. */
  readonly pages: ReadonlyMap<string, Page>;
  /** Is told of every request that is over, e.g. to count. */
  readonly watch?: (event: RequestEvent) => void;
}

/** Answers the requests of one service. */
export function createAnswerer(service: Service): Answerer {
  const buffers = createBufferPool();
  let count = 0;
  return async (request, response, situation) => {
    count += 1;
    const client = clientAddress(request.socket);
    const facts = { bytes: 0, userAgent: shownAgent(request, service) };
    const exchange = { service, buffers, request, response, situation, id: count, client, facts };
    const start = performance.now();
    response.setHeader('X-Request-Id', count);
    try {
      await answer(exchange);
    } catch (error) {
      fail(exchange, error);
    }
    tell(exchange, (performance.now() - start) / 1000);
  };
}

/** A request on its way to its answer, and what is known of it so far. */
interface Exchange {
  readonly service: Service;
  readonly buffers: BufferPool;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly situation: Situation;
  readonly id: number;
  /** Its address, which a socket that is closed does not know any more. */
  readonly client: string;
  readonly facts: {
    entry?: CatalogEntry;
    path?: string;
    bytes: number;
    outcome?: RequestEvent['outcome'];
    /** Without tokens. */
    readonly userAgent: string | undefined;
    /** Asked every few seconds, and not logged. */
    isProbe?: boolean;
  };
}

async function answer(exchange: Exchange): Promise<void> {
  const { request, service, facts } = exchange;
  const problem = problemOf(request);
  if (problem !== undefined) return refuse(exchange, problem);
  const path = parseRequestPath(request.url ?? '');
  if (path === undefined) return refuse(exchange, notFound(undefined));
  const page = service.pages.get(path);
  if (page?.isPublic === true) {
    facts.isProbe = true;
    return sendPage(exchange, page);
  }

  const admission = service.access().admit(credentialsOf(request, path));
  // What strangers ask for may be a secret that they put into the wrong place.
  if (admission.kind === 'stranger') return refuse(exchange, unauthorized);
  facts.path = shownPath(service.access().mask(path));
  if (admission.kind === 'unknown') return refuse(exchange, notFound(facts.path));
  const isOperator = admission.grant.kind === 'all';
  if (isOperator && page !== undefined) return sendPage(exchange, page);

  const catalog = service.catalog();
  const entry = findGranted(catalog, admission);
  if (entry === undefined) return refuse(exchange, notFound(facts.path, isOperator));
  if (entry === 'ambiguous') return refuse(exchange, ambiguous(facts.path));
  facts.entry = entry;
  facts.path = admission.path;
  const letGo = catalog.hold();
  try {
    const resource = await entry.resource();
    if (resource === undefined) refuse(exchange, notFound(facts.path, isOperator));
    else await sendResource(exchange, resource, admission.path);
  } finally {
    letGo();
  }
}

/** What is wrong with a request, whatever it asks for. */
function problemOf(request: IncomingMessage): PlainAnswer | undefined {
  if (request.method !== 'GET' && request.method !== 'HEAD') return wrongMethod;
  if (hasBody(request)) return { status: 413, message: 'a request to fetch something has no body' };
  const hosts = request.rawHeaders.filter((name, index) => index % 2 === 0 && name.toLowerCase() === 'host');
  const isHost = /^[A-Za-z0-9._~%:[\]-]{0,262}$/.test(request.headers.host ?? '');
  return hosts.length > 1 || !isHost ? { status: 400, message: 'the Host header is no host' } : undefined;
}

const wrongMethod: PlainAnswer = {
  status: 405,
  message: 'nothing can be changed here',
  hint: 'use GET or HEAD',
  headers: { Allow: 'GET, HEAD' },
};

const unauthorized: PlainAnswer = {
  status: 401,
  message: 'this needs a credential',
  hint: 'use the signed URL of the host; operators show a token (Authorization: Bearer TOKEN, or as the password)',
  headers: {
    'WWW-Authenticate': ['Bearer realm="ironic-coreos"', 'Basic realm="ironic-coreos", charset="UTF-8"'],
  },
};

function notFound(path: string | undefined, isOperator = false): PlainAnswer {
  return {
    status: 404,
    message: `${path ?? 'this'} is not served here`,
    hint: isOperator ? 'what is served is listed at /' : 'check the name, and whether the URL has expired',
  };
}

/** For whoever may fetch the files of all hosts. */
function ambiguous(path: string): PlainAnswer {
  return {
    status: 409,
    message: `several hosts have a file named ${path}`,
    hint: 'use the URL of the host, which is listed at /',
  };
}

function shownAgent({ headers }: IncomingMessage, service: Service): string | undefined {
  const text = headers['user-agent'];
  return text === undefined ? undefined : service.access().mask(text);
}

/** Of a path without tokens. Operators look for names, so the last part of what is unknown is told. */
function shownPath(path: string): string {
  const name = path.slice(path.lastIndexOf('/') + 1);
  return resemblesToken(name) ? '(token)' : plainText(name, MAX_SHOWN);
}

const MAX_SHOWN = 80;

interface Granted {
  readonly grant: Grant;
  readonly path: string;
}

/** What is not granted is as if it did not exist; nothing is made of it either. */
function findGranted(catalog: Catalog, { grant, path }: Granted): ReturnType<Catalog['find']> {
  const entry = catalog.find(path, ownerOf(grant));
  if (entry === 'ambiguous') return entry;
  return entry !== undefined && permits(grant, entry) ? entry : undefined;
}

async function sendPage({ request, response, situation, facts }: Exchange, page: Page): Promise<void> {
  const { url = '', headers, method } = request;
  const {
    status,
    headers: own,
    body,
  } = await page.answer({
    query: new URLSearchParams(url.split('?')[1]),
    accept: headers.accept ?? '',
    isDraining: situation.isDraining,
  });
  const length = Buffer.byteLength(body);
  response.writeHead(status, { ...pageHeaders, ...own, 'Content-Length': length });
  response.end(method === 'HEAD' ? undefined : body);
  facts.bytes = method === 'HEAD' ? 0 : length;
}

const pageHeaders = { 'Cache-Control': 'no-store', 'X-Content-Type-Options': 'nosniff' };

async function sendResource(exchange: Exchange, resource: ServedResource, path: string): Promise<void> {
  const { request, response, facts } = exchange;
  const method: AnsweredRequest['method'] = request.method === 'HEAD' ? 'HEAD' : 'GET';
  const { status, headers, parts } = answerFor({ method, headers: request.headers }, resource);
  if (parts.length === 0) {
    await resource.check?.();
    response.writeHead(status, headers).end();
    return;
  }
  const source = await resource.open();
  try {
    response.writeHead(status, headers);
    const transfer = beginTransfer(exchange, resource, path);
    await send(exchange, { parts, source, transfer }).finally(() =>
      transfer.end(facts.outcome ?? 'complete'),
    );
  } finally {
    await source.close();
  }
}

function beginTransfer(
  { service, id, client, facts: { userAgent } }: Exchange,
  resource: ServedResource,
  path: string,
): Transfer {
  return service.transfers.begin({
    id,
    client,
    host: resource.host,
    path,
    artifact: resource.artifact,
    size: resource.size,
    etag: resource.etag,
    ...(userAgent === undefined ? {} : { userAgent }),
  });
}

interface Delivery {
  readonly parts: readonly BodyPart[];
  readonly source: Awaited<ReturnType<ServedResource['open']>>;
  readonly transfer: Transfer;
}

/** Clients that go away are nothing to be thrown. */
async function send(exchange: Exchange, { parts, source, transfer }: Delivery): Promise<void> {
  const { service, buffers, response, situation, facts } = exchange;
  try {
    await sendBody({
      response,
      source,
      parts,
      buffers,
      idleTimeout: service.idleTimeout,
      sent: (range) => {
        facts.bytes += range.length;
        transfer.sent(range);
      },
    });
  } catch (error) {
    if (!(error instanceof ClientGone)) {
      facts.outcome = 'failed';
      throw error;
    }
    facts.outcome = situation.isCut ? 'cut off' : error.reason;
  }
}

function refuse({ request, response }: Exchange, plain: PlainAnswer): void {
  sendPlainAnswer(request, response, plain);
}

/** What the operator has to know goes to the log; the client learns that it is not its fault. */
function fail({ service, request, response, id, facts }: Exchange, error: unknown): void {
  const isKnown = error instanceof CliError;
  service.log.note('error', isKnown ? 'cannot serve' : 'defect', {
    id,
    path: facts.path,
    ...describe(error),
  });
  facts.outcome = 'failed';
  if (response.headersSent) {
    response.destroy();
    return;
  }
  const hint = `the operator finds the reason in the log under request ${id}`;
  const message = isKnown ? 'this cannot be served now' : 'the service has a defect';
  sendPlainAnswer(request, response, { status: isKnown ? 503 : 500, message, hint });
}

function describe(error: unknown): { readonly message: string; readonly hint?: string | undefined } {
  if (error instanceof CliError) return { message: error.message, hint: error.hint };
  return { message: error instanceof Error ? (error.stack ?? error.message) : String(error) };
}

function tell({ service, request, response, id, client, facts }: Exchange, seconds: number): void {
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
