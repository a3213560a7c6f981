/**
 * The client for the Kubernetes API server, with the current token. It checks all responses, and its errors say how long an
 * overloaded API server asks to wait. It supports the requests of a controller for one kind of object. Not supported: cluster-scoped
 * kinds, discovery, protobuf, deletion, and updates of whole objects (it uses patches).
 */

import { createMasker, secretsInUrls } from '../core/knownSecrets.ts';
import { asMapping } from '../formats/mapping.ts';
import { connect } from '../http/client/connect.ts';
import type { HttpConnection, RawResponse, SentRequest } from '../http/client/connection.ts';
import {
  acceptedType,
  type ApiResource,
  apiVersionOf,
  collectionPath,
  type KubernetesObject,
  type ObjectKey,
  objectPath,
  operationFor,
  queryText,
  readObject,
} from './objects.ts';
import {
  abortedError,
  type ApiError,
  describeBreak,
  describeRefusal,
  invalidResponse,
  isNotFound,
  readJson,
} from './apiError.ts';
import type { ClusterConfig } from './clusterConfig.ts';
import { readWatchEvent, splitLines, versionOf, type WatchEvent } from './watchStream.ts';

interface ListPage {
  readonly objects: readonly KubernetesObject[];
  /** The resource version of all pages, from which a watch can start. */
  readonly resourceVersion: string;
  /** Continues the list; undefined for the last page. */
  readonly next?: string | undefined;
}

/** Any JSON with metadata. */
interface NewObject {
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly [field: string]: unknown;
}

/** A merge patch (RFC 7396). */
export interface MergePatch {
  /** With `metadata.resourceVersion`, the patch is refused (`isConflict`) if the object was changed meanwhile. */
  readonly body: Readonly<Record<string, unknown>>;
  readonly subresource?: 'status' | undefined;
}

/** Bytes. etcd accepts objects of 1.5 MiB; managed fields and JSON escapes may increase that several times. */
const MAX_OBJECT = 8 * 1024 * 1024;
const MAX_PAGE = 32 * 1024 * 1024;
/** Objects per page. */
const PAGE = 250;
/** Minimum duration of a watch in seconds; the maximum is twice as long, so that not all watches end at the same time. */
const WATCH_TIME = 300;
/** The owner of the fields that a patch sets. */
const MANAGER = 'ironic-coreos';

interface ApiRequest {
  /** For messages: `list secrets in metal3`. */
  readonly operation: string;
  readonly method: SentRequest['method'];
  /** Including the query. */
  readonly path: string;
  /** The accepted media type. Default: `application/json`. */
  readonly accept?: string | undefined;
  /** To be sent as JSON. */
  readonly body?: unknown;
  readonly isWatch?: boolean;
  readonly signal: AbortSignal | undefined;
}

export interface ClientSettings {
  readonly timeouts?: Readonly<typeof DEFAULT_TIMEOUTS> | undefined;
  /** Receives a line for each request. */
  readonly note?: ((text: string) => void) | undefined;
}

/**
 * Milliseconds: `answer` until a response starts, and between two parts of it; `watch` between two events or bookmarks of a watch, of
 * which API servers send one each minute.
 */
const DEFAULT_TIMEOUTS = { connect: 10_000, answer: 30_000, watch: 180_000 };
/** The size limit of an error response. */
const MAX_ERROR_BYTES = 256 * 1024;

/** Connects with the first request. All methods throw ApiError. */
export class ApiClient {
  readonly #config: ClusterConfig;
  readonly #settings: ClientSettings;
  readonly #timeouts: typeof DEFAULT_TIMEOUTS;
  readonly #connection: HttpConnection;
  #isClosed = false;

  constructor(config: ClusterConfig, settings: ClientSettings = {}) {
    const { timeouts = DEFAULT_TIMEOUTS } = settings;
    this.#config = config;
    this.#settings = settings;
    this.#timeouts = timeouts;
    this.#connection = connectTo(config, timeouts.connect);
  }

  /** Undefined if the object does not exist. */
  async get(
    resource: ApiResource,
    key: ObjectKey,
    signal?: AbortSignal,
  ): Promise<KubernetesObject | undefined> {
    return this.#askForObject({
      operation: operationFor('get', resource, key),
      method: 'GET',
      path: objectPath(resource, key),
      accept: acceptedType(resource, ''),
      signal,
    }).catch((error: unknown) => {
      if (isNotFound(error)) return undefined;
      throw error;
    });
  }

  /**
   * Lists all objects, page by page, from one resource version. Throws an `isExpired` error if that takes too long.
   * @param namespace undefined for all namespaces
   */
  async *list(
    resource: ApiResource,
    namespace: string | undefined,
    signal?: AbortSignal,
  ): AsyncGenerator<ListPage, void> {
    const operation = operationFor('list', resource, { namespace });
    const path = collectionPath(resource, namespace);
    const accept = acceptedType(resource, 'List');
    let next: string | undefined;
    do {
      const query = queryText({ limit: String(PAGE), continue: next });
      const request = { operation, method: 'GET', path: `${path}${query}`, accept, signal } as const;
      const page = readPage(await this.#ask(request, MAX_PAGE), operation);
      yield page;
      next = page.next;
    } while (next !== undefined);
  }

  /** @param object has `metadata.name` or `metadata.generateName`; `apiVersion` and `kind` are added */
  async create(
    resource: ApiResource,
    namespace: string,
    object: NewObject,
    signal?: AbortSignal,
  ): Promise<KubernetesObject> {
    return this.#askForObject({
      operation: operationFor('create', resource, { namespace }),
      method: 'POST',
      path: collectionPath(resource, namespace),
      body: { ...object, apiVersion: apiVersionOf(resource), kind: resource.kind },
      signal,
    });
  }

  async patch(
    resource: ApiResource,
    key: ObjectKey,
    { body, subresource }: MergePatch,
    signal?: AbortSignal,
  ): Promise<KubernetesObject> {
    const suffix = subresource === undefined ? '' : `/${subresource}`;
    return this.#askForObject({
      operation: operationFor('patch', { ...resource, plural: `${resource.plural}${suffix}` }, key),
      method: 'PATCH',
      path: `${objectPath(resource, key)}${suffix}${queryText({ fieldManager: MANAGER })}`,
      body,
      signal,
    });
  }

  /**
   * Watches changes on one connection, until the API server closes it. `Informer` reconnects.
   * @param namespace undefined for all namespaces
   * @param resourceVersion the watch reports changes after this version
   */
  async *watch(
    resource: ApiResource,
    namespace: string | undefined,
    resourceVersion: string,
    signal?: AbortSignal,
  ): AsyncGenerator<WatchEvent, void> {
    const operation = operationFor('watch', resource, { namespace });
    const query = queryText({
      watch: 'true',
      allowWatchBookmarks: 'true',
      resourceVersion,
      timeoutSeconds: String(Math.round(WATCH_TIME * (1 + Math.random()))),
    });
    const path = `${collectionPath(resource, namespace)}${query}`;
    const accept = acceptedType(resource, '');
    const parts = this.#stream({ operation, method: 'GET', path, accept, isWatch: true, signal });
    for await (const line of splitLines(parts, MAX_OBJECT, operation)) {
      const event = readWatchEvent(line, operation);
      if (event !== undefined) yield event;
    }
  }

  /** Aborts all running requests. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#connection.close();
  }

  async #askForObject(request: ApiRequest): Promise<KubernetesObject> {
    return readObject(await this.#ask(request, MAX_OBJECT), request.operation);
  }

  /** Returns the response as JSON. */
  async #ask(request: ApiRequest, maxBytes: number): Promise<unknown> {
    return readJson(this.#stream(request), request.operation, maxBytes);
  }

  /** Streams the body. Ending the iteration early closes the connection. */
  async *#stream(request: ApiRequest): AsyncGenerator<Uint8Array, void> {
    const { operation, signal } = request;
    try {
      const { body } = await this.#send(request);
      yield* body;
    } catch (error) {
      const isGivenUp = this.#isClosed || signal?.aborted === true;
      throw isGivenUp ? abortedError(operation) : describeBreak(error, operation);
    }
  }

  /** Resolves with a successful response. */
  async #send(request: ApiRequest): Promise<RawResponse> {
    const { signal } = request;
    if (this.#isClosed || signal?.aborted === true) throw abortedError(request.operation);
    const token = await this.#config.readToken();
    const { accept = 'application/json', body, method } = request;
    const contentType = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
    const { answer, watch } = this.#timeouts;
    const headers = {
      accept,
      'user-agent': 'ironic-coreos',
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(body !== undefined && { 'content-type': contentType }),
    };
    const response = await this.#connection.request(new URL(`${this.#config.server}${request.path}`), {
      method,
      headers,
      body: body === undefined ? undefined : JSON.stringify(body),
      silence: { head: answer, body: request.isWatch === true ? watch : answer },
      signal,
    });
    this.#settings.note?.(`${request.operation}: ${response.statusCode}`);
    if (response.statusCode < 300) return response;
    throw await readRefusal(response, request, token);
  }
}

/** The public methods, which tests implement without a server. */
export type KubernetesClient = Pick<ApiClient, keyof ApiClient>;

function readPage(answer: unknown, operation: string): ListPage {
  const resourceVersion = versionOf(answer, operation);
  const { items, metadata } = asMapping(answer);
  if (!Array.isArray(items) && items !== null) throw invalidResponse(operation, 'the response is not a list');
  const { continue: next } = asMapping(metadata);
  return {
    objects: (items ?? []).map((item) => readObject(item, operation)),
    resourceVersion,
    next: typeof next === 'string' && next !== '' ? next : undefined,
  };
}

/** Milliseconds. API servers keep idle connections open for a few minutes, load balancers sometimes only for one. */
const KEEP_ALIVE = 50_000;

/** TLS is always verified; redirects are not followed. A plain-HTTP API server is on this machine, so it has no proxy. */
function connectTo({ proxies, server, serverName, tls }: ClusterConfig, connectTime: number): HttpConnection {
  return connect({
    connectTime,
    tls: { ...tls, ...(serverName !== undefined && { servername: serverName }) },
    keepAlive: KEEP_ALIVE,
    ...(server.startsWith('https:') && { proxies }),
  });
}

/** An unreadable body is ignored, as the status is sufficient. */
async function readRefusal(
  { statusCode: status, headers, body }: RawResponse,
  { body: sent, operation }: ApiRequest,
  token: string | undefined,
): Promise<ApiError> {
  const content = await readJson(body, operation, MAX_ERROR_BYTES).catch(() => undefined);
  const mask = createMasker([token ?? '', ...secretsInUrls(sent)]);
  return describeRefusal(operation, status, content, { retryAfter: headers['retry-after'], mask });
}
