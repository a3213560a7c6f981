/** The answers of the mock Ironic. Each request becomes one event of the trial. */

import type { IncomingMessage, ServerResponse } from 'node:http';
import { asMapping, isMapping } from '../../formats/mapping.ts';
import { clientAddress } from '../../http/server/connections.ts';
import type { Answerer } from '../../http/server/exchanges.ts';
import { readRequestBody } from '../../http/server/requestBody.ts';
import { hasBody, sendText } from '../../http/server/textResponse.ts';
import { type Agent, answerHeartbeat } from '../ironic/heartbeat.ts';
import { answerInspection, type CollectedInventory } from '../ironic/inspection.ts';
import { answerLookup } from '../ironic/lookup.ts';
import {
  type ApiAnswer,
  fault,
  isAgentVersion,
  parseBody,
  queryOf,
  type RamdiskRequest,
  type RefusalReason,
  type RefusedRequest,
  refuseRequest,
  rootAnswer,
  routeOf,
} from '../ironic/messages.ts';
import type { NodeStore } from '../ironic/nodes.ts';
import type { TrialEvent } from '../timeline/events.ts';

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
    const { body, status } = answer;
    const text = body === undefined ? '' : JSON.stringify(body);
    const type = body === undefined ? {} : { 'Content-Type': 'application/json' };
    sendText(request, response, { status, headers: type, body: text });
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
  const { client, request, service, url } = context;
  const { headers, method = '', url: target = '' } = request;
  const route = routeOf(method, target);
  switch (route.kind) {
    case 'refused':
      return refusePath(context, route.status);
    case 'root': {
      const event = { kind: 'api', at: new Date(), client, userAgent: headers['user-agent'] } as const;
      return { answer: rootAnswer(url), event };
    }
    case 'lookup':
      return answerLookup(requestOf(context), service.nodes);
    case 'heartbeat': {
      const body = await readBody(context, MAX_BODY.heartbeat, 'heartbeat-refused');
      return answerHeartbeat(requestOf(context), route.node, body, service.nodes);
    }
    case 'inspection':
    default:
      return acceptInspection(context);
  }
}

/** The request after its body was read. */
function requestOf({ client, request, url }: RequestContext): RamdiskRequest {
  const hasVersion = isAgentVersion(request.headers['x-openstack-ironic-api-version']);
  return { query: queryOf(request.url ?? ''), hasVersion, client, url, now: new Date() };
}

async function refusePath(context: RequestContext, status: 404 | 405): Promise<Outcome> {
  const { client, request } = context;
  const { headers, method = '', url = '' } = request;
  const problem = {
    kind: 'path',
    method,
    path: url.split('?')[0] ?? '', // without the query, which may contain a secret
    hasInventory: await containsInventory(context),
    userAgent: headers['user-agent'],
  } as const;
  const answer = fault(status, status === 404 ? 'Not Found' : 'Method Not Allowed');
  return { answer, event: { kind: 'refusal', at: new Date(), client, problem } };
}

/** Whether the body is an inventory for another path. A client with `Expect: 100-continue` gets the error first, and sends none. */
async function containsInventory(context: RequestContext): Promise<boolean> {
  const { request } = context;
  if (request.method !== 'POST' || !hasBody(request) || request.headers.expect !== undefined) return false;
  const body = await readBody(context, MAX_BODY.inspection, 'inspection-refused');
  return body instanceof Uint8Array && isMapping(asMapping(parseBody(body))['inventory']);
}

async function acceptInspection(context: RequestContext): Promise<Outcome> {
  const { compare, nodes, save } = context.service;
  const body = await readBody(context, MAX_BODY.inspection, 'inspection-refused');
  const { answer, collected, event } = answerInspection(requestOf(context), body, nodes);
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
  reason: RefusalReason,
): Promise<Uint8Array | RefusedRequest> {
  const body = await readRequestBody(request, response, size);
  if (body === 'cut') return refuseRequest(400, 'the request body is incomplete', reason);
  if (body === 'too-large')
    return refuseRequest(413, `the request body is larger than ${size / 1024} KiB`, reason);
  return body;
}
