/** The answers of the mock Ironic. Each request becomes one event of the trial. */

import type { IncomingMessage, ServerResponse } from 'node:http';
import { isMapping } from '../../formats/mapping.ts';
import { clientAddress } from '../../http/server/connections.ts';
import type { Answerer } from '../../http/server/exchanges.ts';
import { readRequestBody } from '../../http/server/requestBody.ts';
import { hasBody } from '../../http/server/textResponse.ts';
import { type Agent, answerHeartbeat } from '../ironic/heartbeat.ts';
import { answerInspection, type CollectedInventory } from '../ironic/inspection.ts';
import { answerLookup } from '../ironic/lookup.ts';
import {
  type ApiAnswer,
  type ApiVersion,
  inVersion,
  negotiateVersion,
  parseBody,
  queryOf,
  type RamdiskRequest,
  type RefusedRequest,
  refuseRequest,
  rootAnswer,
  type Route,
  routeOf,
  v1Answer,
} from '../ironic/messages.ts';
import type { NodeStore } from '../ironic/nodes.ts';
import type {
  ApiEvent,
  HeartbeatEvent,
  InspectionEvent,
  LookupEvent,
  RefusalEvent,
  TrialEvent,
} from '../timeline/events.ts';

interface ApiService {
  readonly nodes: NodeStore;
  readonly observe: (event: TrialEvent) => void;
  /** Called for each accepted heartbeat, after the response is sent. */
  readonly onHeartbeat: (agent: Agent, client: string) => void;
  /** Rejects with an error for the user. */
  readonly save: ((inventory: CollectedInventory) => Promise<void>) | undefined;
  readonly compare: ((inventory: CollectedInventory) => readonly string[]) | undefined;
  readonly scheme: 'http' | 'https';
}

/** Bytes. Agents that also send their logs send several MiB. */
const MAX_BODY = { heartbeat: 128 * 1024, inspection: 16 * 1024 * 1024 };

export function createApiAnswerer(service: ApiService): Answerer {
  return async (request, response) => {
    const { headers, socket } = request;
    // Read before the response, because a closed socket has no client address.
    const client = clientAddress(socket);
    const host = /^[A-Za-z0-9._~%:[\]-]{1,262}$/.exec(headers.host ?? '')?.[0] ?? 'localhost';
    const url = `${service.scheme}://${host}`;
    const context = { service, request, response, client, url };
    const route = routeOf(request.method ?? '', request.url ?? '');
    const { answer, event, after, isLast = false } = await answerRoute(context, route);
    service.observe({ ...event, at: new Date(), client });
    send(context, answer, isLast);
    after?.();
  };
}

interface RequestContext {
  readonly service: ApiService;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly client: string;
  readonly url: string;
}

type ApiCall = ApiEvent | HeartbeatEvent | InspectionEvent | LookupEvent | RefusalEvent;
type Unseen<E> = E extends ApiCall ? Omit<E, 'at' | 'client'> : never;

interface Outcome {
  readonly answer: ApiAnswer;
  readonly event: Unseen<ApiCall>;
  readonly after?: (() => void) | undefined;
  /** Whether to close the connection, because the request body was not read completely. */
  readonly isLast?: boolean;
}

async function answerRoute(context: RequestContext, route: Route): Promise<Outcome> {
  if (route.kind === 'refused') return refusePath(context, route.answer);
  const negotiated = negotiateVersion(context.request.headers);
  if (negotiated.kind === 'refused') {
    const { answer, requested } = negotiated;
    const message = `API version ${requested} does not exist`;
    const problem = { kind: 'request', status: answer.status, message, reason: 'api-version' } as const;
    return { answer, event: { kind: 'refusal', problem } };
  }
  const { version } = negotiated;
  const outcome = await answerInVersion(context, route, version);
  return { ...outcome, answer: inVersion(version.minor, outcome.answer) };
}

async function answerInVersion(
  context: RequestContext,
  route: Exclude<Route, { kind: 'refused' }>,
  version: ApiVersion,
): Promise<Outcome> {
  const { service, url } = context;
  switch (route.kind) {
    case 'root':
      return describeApi(context, rootAnswer(url));
    case 'v1':
      return describeApi(context, v1Answer(url));
    case 'lookup': {
      const { answer, ...facts } = answerLookup(requestOf(context, version), service.nodes);
      return { answer, event: { kind: 'lookup', ...facts } };
    }
    case 'heartbeat':
      return acceptHeartbeat(context, route.node, version);
    case 'inspection':
    default:
      return acceptInspection(context, route.service, version);
  }
}

/** The request after its body was read. */
function requestOf({ client, request, url }: RequestContext, version: ApiVersion): RamdiskRequest {
  return { query: queryOf(request.url ?? ''), version, client, url, now: new Date() };
}

async function refusePath(context: RequestContext, answer: ApiAnswer): Promise<Outcome> {
  const { headers, method = '', url = '' } = context.request;
  const problem = {
    kind: 'path',
    method,
    path: url.split('?')[0] ?? '', // without the query, which may contain a secret
    hasInventory: await containsInventory(context),
    userAgent: headers['user-agent'],
  } as const;
  return { answer, event: { kind: 'refusal', problem } };
}

/** Whether the body is an inventory for another path. A client with `Expect: 100-continue` gets the error first, and sends none. */
async function containsInventory(context: RequestContext): Promise<boolean> {
  const { request } = context;
  if (request.method !== 'POST' || !hasBody(request) || request.headers.expect !== undefined) return false;
  const body = await readBody(context, MAX_BODY.inspection);
  const parsed = body instanceof Uint8Array ? parseBody(body) : undefined;
  return parsed?.kind === 'value' && isMapping(parsed.value) && isMapping(parsed.value['inventory']);
}

/** Ironic accepts any method here, but an agent that sends data to this path uses an incorrect URL. */
function describeApi(context: RequestContext, answer: ApiAnswer): Outcome | Promise<Outcome> {
  const { method, headers } = context.request;
  if (method !== 'GET' && method !== 'HEAD') return refusePath(context, answer);
  return { answer, event: { kind: 'api', userAgent: headers['user-agent'] } };
}

async function acceptHeartbeat(
  context: RequestContext,
  node: string | undefined,
  version: ApiVersion,
): Promise<Outcome> {
  const { service, client } = context;
  const kind = 'heartbeat';
  const body = await readBody(context, MAX_BODY.heartbeat);
  if (!(body instanceof Uint8Array)) {
    const { answer, ...refusal } = body;
    const unknown = { callbackUrl: undefined, agentVersion: undefined, token: 'unknown' } as const;
    return { answer, event: { kind, node: node ?? '', ...unknown, ...refusal }, isLast: true };
  }
  const { answer, agent, ...facts } = answerHeartbeat(requestOf(context, version), node, body, service.nodes);
  const after = agent && (() => service.onHeartbeat(agent, client));
  return { answer, event: { kind, ...facts }, after };
}

async function acceptInspection(
  context: RequestContext,
  service: InspectionEvent['service'],
  version: ApiVersion,
): Promise<Outcome> {
  const { compare, nodes, save } = context.service;
  const about = { kind: 'inspection', service } as const;
  const body = await readBody(context, MAX_BODY.inspection);
  if (!(body instanceof Uint8Array)) {
    const { answer, ...refusal } = body;
    const unknown = {
      macs: [],
      node: undefined,
      summary: undefined,
      differences: [],
      isIncomplete: false,
    };
    return { answer, event: { ...about, ...unknown, ...refusal }, isLast: true };
  }
  const { answer, collected, ...facts } = answerInspection(requestOf(context, version), service, body, nodes);
  const unsaved =
    collected &&
    (await save?.(collected).then(
      () => undefined,
      (error: unknown) => `not saved: ${error instanceof Error ? error.message : String(error)}`,
    ));
  const problem = [facts.problem, unsaved].filter((text) => text !== undefined).join('; ') || undefined;
  const isIncomplete = facts.node !== undefined && facts.problem !== undefined;
  const differences = (collected && compare?.(collected)) ?? [];
  return { answer, event: { ...about, ...facts, problem, differences, isIncomplete } };
}

/** @param size maximum number of bytes */
async function readBody(
  { request, response }: RequestContext,
  size: number,
): Promise<Uint8Array | RefusedRequest> {
  const body = await readRequestBody(request, response, size);
  if (body === 'cut') return refuseRequest(400, 'the request body is incomplete', 'body-incomplete');
  if (body === 'too-large')
    return refuseRequest(413, `the request body is larger than ${size / 1024} KiB`, 'body-too-large');
  return body;
}

function send(context: RequestContext, { status, headers, body }: ApiAnswer, isLast: boolean): void {
  const { request, response } = context;
  const text = body === undefined ? '' : JSON.stringify(body);
  response.statusCode = status;
  for (const [name, value] of Object.entries({ 'Cache-Control': 'no-store', ...headers })) {
    response.setHeader(name, value);
  }
  if (text !== '') response.setHeader('Content-Type', 'application/json');
  if (isLast || (hasBody(request) && !request.complete)) response.shouldKeepAlive = false;
  response.setHeader('Content-Length', Buffer.byteLength(text));
  response.end(request.method === 'HEAD' ? undefined : text);
}
