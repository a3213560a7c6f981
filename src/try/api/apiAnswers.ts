/** Ironic's API over HTTP. Each request becomes one event of the trial. */

import { isMapping } from '../../formats/mapping.ts';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { clientAddress } from '../../serve/http/connections.ts';
import type { Answerer } from '../../serve/http/exchanges.ts';
import { hasBody, plainText } from '../../serve/http/textResponse.ts';
import {
  BodyMemory,
  readRequestBody,
  type RequestBody,
  sendLastAnswer,
} from '../../serve/http/requestBody.ts';
import {
  type ApiAnswer,
  type ApiVersion,
  inVersion,
  negotiateVersion,
  type Negotiation,
  notRouted,
  parseBody,
  queryOf,
  type RefusedRequest,
  refuseRequest,
  rootAnswer,
  type Route,
  routeOf,
  v1Answer,
} from '../ironic/messages.ts';
import { type Agent, answerHeartbeat } from '../ironic/heartbeat.ts';
import { answerInspection, type CollectedInventory } from '../ironic/inspection.ts';
import { answerLookup } from '../ironic/lookup.ts';
import type { NodeStore } from '../ironic/nodes.ts';
import { mapTexts, type TrialEvent } from '../timeline/events.ts';

export interface ApiService {
  readonly nodes: NodeStore;
  readonly observe: (event: TrialEvent) => void;
  /** Called for each accepted heartbeat, after the response is sent. */
  readonly onHeartbeat: (agent: Agent, client: string) => void;
  /** Rejects with an error for the user. */
  readonly save: ((inventory: CollectedInventory) => Promise<void>) | undefined;
  readonly scheme: 'http' | 'https';
}

/** Bytes. Agents that also send their logs send several MiB. */
const MAX_BODY = { heartbeat: 128 * 1024, inspection: 16 * 1024 * 1024 };
/** Bytes of all request bodies in memory. */
const BODY_MEMORY = 128 * 1024 * 1024;

export function createApiAnswerer(service: ApiService): Answerer {
  const memory = new BodyMemory(BODY_MEMORY);
  return async (request, response) => {
    const context = { service, memory, request, response, ...addressesOf(request, service) };
    const route = routeOf(request.method ?? '', request.url ?? '');
    const { answer, event, after, isLast = false } = await answerRoute(context, route);
    service.observe(mapTexts(event, shown));
    await send(context, answer, isLast);
    after?.();
  };
}

interface RequestContext {
  readonly service: ApiService;
  readonly memory: BodyMemory;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Client address. */
  readonly client: string;
  /** Base URL that the client uses. */
  readonly url: string;
}

/** Reads both before the response, because a closed socket has no client address. */
function addressesOf(
  { headers, socket }: IncomingMessage,
  { scheme }: ApiService,
): Pick<RequestContext, 'client' | 'url'> {
  const host = /^[A-Za-z0-9._~%:[\]-]{1,262}$/.exec(headers.host ?? '')?.[0] ?? 'localhost';
  return { client: clientAddress(socket), url: `${scheme}://${host}` };
}

interface Outcome {
  readonly answer: ApiAnswer;
  readonly event: TrialEvent;
  /** Runs after the response is sent. */
  readonly after?: () => void;
  /** Whether to close the connection, because the request body was not read completely. */
  readonly isLast?: boolean;
}

async function answerRoute(context: RequestContext, route: Route): Promise<Outcome> {
  if (route.kind === 'unknown') return refusePath(context, notRouted(404));
  if (route.kind === 'method-not-allowed')
    return refusePath(context, notRouted(405, { Allow: route.allowed }));
  const negotiated = negotiateVersion(context.request.headers);
  if (negotiated.kind === 'refused') return refuseVersion(context, negotiated);
  const { version } = negotiated;
  const outcome = await answerInVersion(context, route, version);
  return { ...outcome, answer: inVersion(version.minor, outcome.answer) };
}

type Answered = Exclude<Route, { kind: 'unknown' | 'method-not-allowed' }>;

function answerInVersion(
  context: RequestContext,
  route: Answered,
  version: ApiVersion,
): Outcome | Promise<Outcome> {
  switch (route.kind) {
    case 'root':
      return describeApi(context, rootAnswer(context.url));
    case 'v1':
      return describeApi(context, v1Answer(context.url, version.minor));
    case 'lookup':
      return lookUp(context, version);
    case 'heartbeat':
      return acceptHeartbeat(context, route, version);
    case 'inspection':
    default:
      return acceptInspection(context, route, version);
  }
}

function seenFrom({ client }: RequestContext): { readonly at: Date; readonly client: string } {
  return { at: new Date(), client };
}

/** Maximum number of characters of a client's text. */
const MAX_SHOWN = 300;

function shown(text: string): string {
  return plainText(text, MAX_SHOWN);
}

/** Without the query, which may contain a secret. */
function shownPath({ url = '' }: IncomingMessage): string {
  return url.split('?')[0] ?? '';
}

async function refusePath(context: RequestContext, answer: ApiAnswer): Promise<Outcome> {
  const { request } = context;
  const problem = {
    kind: 'path',
    method: request.method ?? '',
    path: shownPath(request),
    hasInventory: await containsInventory(context),
    userAgent: request.headers['user-agent'],
  } as const;
  return { answer, event: { kind: 'refusal', ...seenFrom(context), problem } };
}

/** Whether the body is an inventory for another path. A client with `Expect: 100-continue` gets the error first, and sends none. */
async function containsInventory(context: RequestContext): Promise<boolean> {
  const { request } = context;
  if (request.method !== 'POST' || !hasBody(request) || request.headers.expect !== undefined) return false;
  const body = await readBody(context, MAX_BODY.inspection);
  const parsed = body.kind === 'whole' ? parseBody(body.bytes) : undefined;
  return parsed?.kind === 'value' && isMapping(parsed.value) && isMapping(parsed.value['inventory']);
}

function refuseVersion(
  context: RequestContext,
  { answer, requested }: Extract<Negotiation, { kind: 'refused' }>,
): Outcome {
  const message = `API version ${shown(requested)} does not exist`;
  const problem = { kind: 'request', status: answer.status, message, reason: 'api-version' } as const;
  return { answer, event: { kind: 'refusal', ...seenFrom(context), problem } };
}

/** Ironic accepts any method here, but an agent that sends data to this path uses an incorrect URL. */
function describeApi(context: RequestContext, answer: ApiAnswer): Outcome | Promise<Outcome> {
  const { method, headers } = context.request;
  if (method !== 'GET' && method !== 'HEAD') return refusePath(context, answer);
  const userAgent = headers['user-agent'];
  return { answer, event: { kind: 'api', ...seenFrom(context), userAgent } };
}

function lookUp(context: RequestContext, version: ApiVersion): Outcome {
  const { request, url, service } = context;
  const query = queryOf(request.url ?? '');
  const { answer, ...facts } = answerLookup({ query, version, url, now: new Date() }, service.nodes);
  return { answer, event: { kind: 'lookup', ...seenFrom(context), ...facts } };
}

async function acceptHeartbeat(
  context: RequestContext,
  { node }: Extract<Route, { kind: 'heartbeat' }>,
  version: ApiVersion,
): Promise<Outcome> {
  const { service, client } = context;
  const body = await readBody(context, MAX_BODY.heartbeat);
  if (body.kind !== 'whole') {
    const { answer, ...refusal } = unreadable(body.kind, MAX_BODY.heartbeat);
    const unknown = { callbackUrl: undefined, agentVersion: undefined, token: 'unknown' } as const;
    const about = { kind: 'heartbeat', ...seenFrom(context), node: node ?? '' } as const;
    return { answer, event: { ...about, ...unknown, ...refusal }, isLast: true };
  }
  const request = { node, body: body.bytes, version, now: new Date() };
  const { answer, agent, ...facts } = answerHeartbeat(request, service.nodes);
  const event = { kind: 'heartbeat', ...seenFrom(context), ...facts } as const;
  return {
    answer,
    event,
    ...(agent === undefined ? {} : { after: () => service.onHeartbeat(agent, client) }),
  };
}

async function acceptInspection(
  context: RequestContext,
  { service: kind }: Extract<Route, { kind: 'inspection' }>,
  version: ApiVersion,
): Promise<Outcome> {
  const { request, url, service } = context;
  const body = await readBody(context, MAX_BODY.inspection);
  const about = { kind: 'inspection', service: kind } as const;
  if (body.kind !== 'whole') {
    const { answer, ...refusal } = unreadable(body.kind, MAX_BODY.inspection);
    const unknown = { macs: [], node: undefined, summary: undefined, isIncomplete: false };
    return { answer, event: { ...about, ...seenFrom(context), ...unknown, ...refusal }, isLast: true };
  }
  const query = queryOf(request.url ?? '');
  const { answer, collected, ...facts } = answerInspection(
    { service: kind, query, body: body.bytes, version, url, now: new Date() },
    service.nodes,
  );
  const unsaved = collected === undefined ? undefined : await save(collected, service);
  const problem = [facts.problem, unsaved].filter((text) => text !== undefined).join('; ') || undefined;
  const isIncomplete = facts.node !== undefined && facts.problem !== undefined;
  return { answer, event: { ...about, ...seenFrom(context), ...facts, problem, isIncomplete } };
}

/** Returns the error if the inventory cannot be saved. */
async function save(
  inventory: CollectedInventory,
  { save: keep }: Pick<ApiService, 'save'>,
): Promise<string | undefined> {
  try {
    await keep?.(inventory);
    return undefined;
  } catch (error) {
    return `not saved: ${error instanceof Error ? error.message : String(error)}`;
  }
}

function readBody({ request, response, memory }: RequestContext, size: number): Promise<RequestBody> {
  return readRequestBody(request, response, size, memory);
}

function unreadable(kind: Exclude<RequestBody['kind'], 'whole'>, size: number): RefusedRequest {
  switch (kind) {
    case 'too-large':
      return refuseRequest(413, `the request body is larger than ${size / 1024} KiB`, 'body-too-large');
    case 'no-memory':
      return refuseRequest(503, 'too many large request bodies at the same time', 'busy');
    case 'cut':
    default:
      return refuseRequest(400, 'the request body is incomplete', 'body-incomplete');
  }
}

async function send(
  context: RequestContext,
  { status, headers, body }: ApiAnswer,
  isLast: boolean,
): Promise<void> {
  const { request, response } = context;
  const text = body === undefined ? '' : JSON.stringify(body);
  response.statusCode = status;
  for (const [name, value] of Object.entries({ 'Cache-Control': 'no-store', ...headers })) {
    response.setHeader(name, value);
  }
  if (text !== '') response.setHeader('Content-Type', 'application/json');
  if (isLast || (hasBody(request) && !request.complete)) {
    await sendLastAnswer(request, response, text);
    return;
  }
  response.setHeader('Content-Length', Buffer.byteLength(text));
  response.end(request.method === 'HEAD' ? undefined : text);
}
