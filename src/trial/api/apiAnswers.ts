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
import type { InspectionEvent, RefusalEvent, TrialEvent } from '../timeline/events.ts';

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
    const context = { service, request, response, client, url: `${service.scheme}://${host}` };
    const { agent, answer, event } = await answerRoute(context);
    service.observe(event);
    send(request, response, answer);
    if (agent !== undefined) service.onHeartbeat(agent, client);
  };
}

interface RequestContext {
  readonly service: ApiService;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly client: string;
  readonly url: string;
}

interface Outcome {
  readonly answer: ApiAnswer;
  readonly event: TrialEvent;
  /** The agent whose heartbeat was accepted. */
  readonly agent?: Agent | undefined;
}

async function answerRoute(context: RequestContext): Promise<Outcome> {
  const { headers, method = '', url = '' } = context.request;
  const route = routeOf(method, url);
  if (route.kind === 'refused') return refusePath(context, route.answer);
  const negotiated = negotiateVersion(headers);
  if (negotiated.kind === 'refused') {
    const { answer, requested } = negotiated;
    const message = `API version ${requested} does not exist`;
    const problem = { kind: 'request', status: answer.status, message, reason: 'api-version' } as const;
    return refusal(context, answer, problem);
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
    case 'lookup':
      return answerLookup(requestOf(context, version), service.nodes);
    case 'heartbeat': {
      const body = await readBody(context, MAX_BODY.heartbeat);
      return answerHeartbeat(requestOf(context, version), route.node, body, service.nodes);
    }
    case 'inspection':
    default:
      return acceptInspection(context, route.service, version);
  }
}

/** The request after its body was read. */
function requestOf({ client, request, url }: RequestContext, version: ApiVersion): RamdiskRequest {
  return { query: queryOf(request.url ?? ''), version, client, url, now: new Date() };
}

function refusal({ client }: RequestContext, answer: ApiAnswer, problem: RefusalEvent['problem']): Outcome {
  return { answer, event: { kind: 'refusal', at: new Date(), client, problem } };
}

async function refusePath(context: RequestContext, answer: ApiAnswer): Promise<Outcome> {
  const { headers, method = '', url = '' } = context.request;
  return refusal(context, answer, {
    kind: 'path',
    method,
    path: url.split('?')[0] ?? '', // without the query, which may contain a secret
    hasInventory: await containsInventory(context),
    userAgent: headers['user-agent'],
  });
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
  const { client, request } = context;
  if (request.method !== 'GET' && request.method !== 'HEAD') return refusePath(context, answer);
  return { answer, event: { kind: 'api', at: new Date(), client, userAgent: request.headers['user-agent'] } };
}

async function acceptInspection(
  context: RequestContext,
  service: InspectionEvent['service'],
  version: ApiVersion,
): Promise<Outcome> {
  const { compare, nodes, save } = context.service;
  const body = await readBody(context, MAX_BODY.inspection);
  const { answer, collected, event } = answerInspection(requestOf(context, version), service, body, nodes);
  if (collected === undefined) return { answer, event };
  const unsaved = await save?.(collected).then(
    () => undefined,
    (error: unknown) => `not saved: ${error instanceof Error ? error.message : String(error)}`,
  );
  const problem = [event.problem, unsaved].filter((text) => text !== undefined).join('; ') || undefined;
  return { answer, event: { ...event, problem, differences: compare?.(collected) ?? [] } };
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

/** Closes the connection if the request has a body that was not read to its end. */
function send(
  request: IncomingMessage,
  response: ServerResponse,
  { status, headers, body }: ApiAnswer,
): void {
  const text = body === undefined ? '' : JSON.stringify(body);
  response.statusCode = status;
  for (const [name, value] of Object.entries({ 'Cache-Control': 'no-store', ...headers })) {
    response.setHeader(name, value);
  }
  if (text !== '') response.setHeader('Content-Type', 'application/json');
  if (hasBody(request) && !request.readableEnded) response.shouldKeepAlive = false;
  response.setHeader('Content-Length', Buffer.byteLength(text));
  response.end(request.method === 'HEAD' ? undefined : text);
}
