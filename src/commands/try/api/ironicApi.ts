/**
 * The mock Ironic: the part of Ironic's API that a ramdisk calls first. It never starts a step on an agent, so nothing is
 * deployed, cleaned or written to a disk. After a heartbeat, it contacts the agent at its callback URL, as Ironic does.
 */

import { join, resolve } from 'node:path';
import { CliError } from '../../../core/errors.ts';
import { machineNameProblem } from '../../../formats/hostName.ts';
import type { Io } from '../../../io/io.ts';
import { createCertificates } from './createdCertificates.ts';
import { makeFolder, writeFileAtomically } from '../../../io/files/newFile.ts';
import type { ListenAddress } from '../../../http/server/listenAddress.ts';
import { defaultLimits, type ServerLimits, startServer } from '../../../http/server/server.ts';
import type { ServerLog } from '../../../http/server/serverLog.ts';
import { answerInspection, type CollectedInventory } from '../ironic/inspection.ts';
import { createNodeStore, type ExpectedNode, type NodeStore, resetAgent } from '../ironic/nodes.ts';
import type { TrialPage } from '../trialPage.ts';
import {
  type ApiEvent,
  type HeartbeatEvent,
  type InspectionEvent,
  type LookupEvent,
  type RefusalEvent,
  type TrialEvent,
} from '../timeline/events.ts';
import { type AskBack, createCallbackChecker } from './callbackChecker.ts';
import { isMapping } from '../../../formats/mapping.ts';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { clientAddress } from '../../../http/server/connections.ts';
import type { Answerer } from '../../../http/server/exchanges.ts';
import { hasBody } from '../../../http/server/textResponse.ts';
import { readRequestBody } from '../../../http/server/requestBody.ts';
import {
  type ApiAnswer,
  type ApiVersion,
  inVersion,
  negotiateVersion,
  notRouted,
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
import { type Agent, answerHeartbeat } from '../ironic/heartbeat.ts';
import { answerLookup } from '../ironic/lookup.ts';

export interface IronicApiOptions {
  readonly listen: ListenAddress;
  /** Names and addresses for the certificate; undefined for plain HTTP. */
  readonly tlsNames: readonly string[] | undefined;
  readonly expected: readonly ExpectedNode[];
  /** Gets all events in order. */
  readonly observe: (event: TrialEvent) => void;
  /** Gets each accepted inventory. Its errors become the problem of the inspection event. */
  readonly saveInventory?: ((inventory: CollectedInventory) => Promise<void>) | undefined;
  /** What a host expects otherwise than its agent reports, as clauses. */
  readonly compare?: ((inventory: CollectedInventory) => readonly string[]) | undefined;
  /** Is answered beside the API. */
  readonly page?: TrialPage | undefined;
  /** Callback URLs to contact. */
  readonly askBack: AskBack;
  /** Names of steps that each agent must have. */
  readonly requiredSteps: readonly string[];
  /** Gets messages about too many connections and about errors of the server; requests are events. */
  readonly log?: ServerLog | undefined;
  readonly limits?: ServerLimits | undefined;
}

export interface IronicApi {
  /** `https://192.0.2.1:6385`: base URL for clients on this machine. */
  readonly origin: string;
  readonly port: number;
  /** PEM of the certificate authority, for `--ca-file`; undefined for plain HTTP. */
  readonly ca: string | undefined;
  /**
   * Resets the node of a machine that was powered on or reset: its next lookup gets a token, as if Ironic had rebooted it.
   * Without this call, a machine without requests for two minutes counts as rebooted.
   * @param mac in lower case
   */
  resetMachine(mac: string): void;
  /** Resolves when all agents that have sent a heartbeat are contacted. */
  idle(): Promise<void>;
  /** Resolves when all connections are closed, including those to agents. */
  stop(): Promise<void>;
}

/** Enough time for a request of several MiB, and enough header space for 1000 MAC addresses. */
const apiLimits: ServerLimits = {
  ...defaultLimits,
  connections: 1024,
  areFixed: true,
  headerSize: 64 * 1024,
  requestTime: 60_000,
};

/** Milliseconds to send pending responses on shutdown. */
const GRACE = 1000;

/** @throws CliError if it cannot listen on the address; UsageError if a name is invalid in a certificate */
export async function startIronicApi(options: IronicApiOptions): Promise<IronicApi> {
  const { expected, observe, page, tlsNames, log = silentLog, limits = apiLimits } = options;
  const nodes = createNodeStore(expected);
  const callbacks = createCallbackChecker(options);
  const created = tlsNames === undefined ? undefined : await createCertificates(tlsNames);
  const answer = createApiAnswerer({
    nodes,
    observe,
    onHeartbeat: (agent, client) => callbacks.onHeartbeat(agent, client),
    save: options.saveInventory,
    compare: options.compare,
    scheme: created === undefined ? 'http' : 'https',
  });
  const server = await startServer({
    listen: options.listen,
    tls: created?.tls,
    limits,
    answer: page === undefined ? answer : page.answerer(answer),
    log,
    refused: ({ client, problem }) => observe({ kind: 'refusal', at: new Date(), client, problem }),
  });
  return {
    origin: server.origin,
    port: server.port,
    ca: created?.ca,
    resetMachine: (mac) => {
      const node = nodes.findByMac(mac);
      if (node !== undefined) resetAgent(node);
    },
    idle: () => callbacks.idle(),
    stop: async () => {
      await Promise.all([callbacks.stop(), server.stop(GRACE)]);
    },
  };
}

const silentLog: ServerLog = { request: () => undefined, note: () => undefined };

/** Only for the user: an inventory contains addresses, serial numbers, and the address of the BMC. */
const MODE = 0o600;

/**
 * Creates a folder for inventories. The file name is the name of the host, or the UUID of the node for unknown machines. A later
 * inventory of the same machine replaces the earlier one.
 * @returns saves an inventory, and rejects with a CliError if it cannot be written
 * @throws CliError if the folder cannot be created
 */
export async function openInventoryFolder(
  folder: string,
  { cwd }: Io,
): Promise<(inventory: CollectedInventory) => Promise<void>> {
  const root = resolve(cwd, folder);
  await makeFolder(root, folder, 0o700);
  // One at a time: a waiting inventory is only bytes, but writing one takes several times its memory.
  let last: Promise<unknown> = Promise.resolve();
  return async ({ body, name, node }) => {
    const written = last.then(async () => {
      const file = `${fileNameOf(name ?? node)}.json`;
      const value: unknown = JSON.parse(new TextDecoder().decode(body));
      const text = `${JSON.stringify(value, undefined, 2)}\n`;
      await writeFileAtomically(join(root, file), text, { mode: MODE, shownPath: join(folder, file) });
    });
    last = written.catch(() => undefined); // the caller reports the error
    await written;
  };
}

/** A safe file name for a host name, MAC address or UUID. */
function fileNameOf(name: string): string {
  const stem = name.replaceAll(':', '-');
  if (machineNameProblem(stem) === undefined) return stem;
  throw new CliError('the name of the machine is not valid as a file name', { code: 'ERR_HOST' });
}

// Ironic's API over HTTP. Each request becomes one event of the trial.

interface ApiService {
  readonly nodes: NodeStore;
  readonly observe: (event: TrialEvent) => void;
  /** Called for each accepted heartbeat, after the response is sent. */
  readonly onHeartbeat: (agent: Agent, client: string) => void;
  /** Rejects with an error for the user. */
  readonly save: ((inventory: CollectedInventory) => Promise<void>) | undefined;
  readonly compare: IronicApiOptions['compare'];
  readonly scheme: 'http' | 'https';
}

/** Bytes. Agents that also send their logs send several MiB. */
const MAX_BODY = { heartbeat: 128 * 1024, inspection: 16 * 1024 * 1024 };

function createApiAnswerer(service: ApiService): Answerer {
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
  /** Client address. */
  readonly client: string;
  /** Base URL that the client uses. */
  readonly url: string;
}

type ApiCall = ApiEvent | HeartbeatEvent | InspectionEvent | LookupEvent | RefusalEvent;
/** Without time and client. */
type Unseen<E> = E extends ApiCall ? Omit<E, 'at' | 'client'> : never;

interface Outcome {
  readonly answer: ApiAnswer;
  readonly event: Unseen<ApiCall>;
  /** Runs after the response is sent. */
  readonly after?: (() => void) | undefined;
  /** Whether to close the connection, because the request body was not read completely. */
  readonly isLast?: boolean;
}

async function answerRoute(context: RequestContext, route: Route): Promise<Outcome> {
  if (route.kind === 'unknown') return refusePath(context, notRouted(404));
  if (route.kind === 'method-not-allowed')
    return refusePath(context, notRouted(405, { Allow: route.allowed }));
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

type Answered = Exclude<Route, { kind: 'unknown' | 'method-not-allowed' }>;

async function answerInVersion(
  context: RequestContext,
  route: Answered,
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
function requestOf({ request, url }: RequestContext, version: ApiVersion): RamdiskRequest {
  return { query: queryOf(request.url ?? ''), version, url, now: new Date() };
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
