/**
 * The client for the Kubernetes API server. It checks all responses. It supports the requests of a controller for one kind of
 * object. Not supported: cluster-scoped kinds, discovery, protobuf, deletion, and updates of whole objects (it uses patches).
 */

import { isMapping } from '../../formats/mapping.ts';
import {
  apiVersionOf,
  collectionPath,
  type KubernetesObject,
  type ObjectKey,
  objectPath,
  queryText,
  readObject,
  type ApiResource,
  acceptedType,
  operationFor,
} from './objects.ts';
import { ApiError, describeBreak, invalidResponse, type OwnReason, type Operation } from './apiError.ts';
import { type ApiRequest, ApiRequests, type RequestSettings } from './apiRequests.ts';
import type { ClusterConfig } from './clusterConfig.ts';
import { readWatchEvent, splitLines, versionOf } from './watchStream.ts';

/** All methods throw ApiError, and UsageError for invalid names and namespaces. */
export interface KubernetesClient {
  get(resource: ApiResource, key: ObjectKey, call?: CallOptions): Promise<KubernetesObject>;
  /** Lists all objects, page by page, from one resource version. Throws an `isExpired` error if that takes too long. */
  list(resource: ApiResource, selection: ListSelector, call?: CallOptions): AsyncIterable<ListPage>;
  /** @param object has `metadata.name` or `metadata.generateName`; `apiVersion` and `kind` are added */
  create(resource: ApiResource, place: NewPlace, object: NewObject): Promise<KubernetesObject>;
  patch(resource: ApiResource, key: ObjectKey, patch: MergePatch): Promise<KubernetesObject>;
  /** Watches changes on one connection, until the API server closes it. `Informer` reconnects. */
  watch(resource: ApiResource, selection: ListSelector, from: WatchStart): AsyncIterable<WatchEvent>;
  /** Aborts all running requests. */
  close(): Promise<void>;
}

interface CallOptions {
  readonly signal?: AbortSignal | undefined;
}

/** The namespace of a new object. */
interface NewPlace extends CallOptions {
  readonly namespace: string;
}

export interface ListSelector {
  /** Undefined for all namespaces. */
  readonly namespace?: string | undefined;
  /** `metadata.name=worker-0` */
  readonly fieldSelector?: string | undefined;
}

interface ListPage {
  readonly objects: readonly KubernetesObject[];
  /** The resource version of all pages, from which a watch can start. */
  readonly resourceVersion: string;
}

/** Any JSON with metadata. */
interface NewObject {
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly [field: string]: unknown;
}

/** A merge patch (RFC 7396). */
export interface MergePatch extends CallOptions {
  /** With `metadata.resourceVersion`, the patch is refused (`isConflict`) if the object was changed meanwhile. */
  readonly body: Readonly<Record<string, unknown>>;
  readonly subresource?: 'status' | undefined;
}

interface WatchStart extends CallOptions {
  /** The watch reports changes after this version. */
  readonly resourceVersion: string;
}

export type WatchEvent =
  | { readonly type: 'added' | 'modified' | 'deleted'; readonly object: KubernetesObject }
  /** All changes up to this version were reported. */
  | { readonly type: 'bookmark'; readonly resourceVersion: string };

/** Bytes. etcd accepts objects of 1.5 MiB; managed fields and JSON escapes may increase that several times. */
const MAX_OBJECT = 8 * 1024 * 1024;
const MAX_PAGE = 32 * 1024 * 1024;
/** Objects per page; fewer if the objects are large. */
const PAGE = 250;
/** The maximum number of pages of a list. */
const MAX_PAGES = 2000;
/** Minimum duration of a watch in seconds; the maximum is twice as long, so that not all watches end at the same time. */
const WATCH_TIME = 300;

/** Connects with the first request. */
export function createKubernetesClient(
  config: ClusterConfig,
  settings: RequestSettings = {},
): KubernetesClient {
  const requests = new ApiRequests(config, settings);
  const askForObject = async (request: ApiRequest): Promise<KubernetesObject> => {
    const answer = await requests.ask(request, MAX_OBJECT);
    return understand(request.operation, () => readObject(answer));
  };
  return {
    get: async (resource, key, call) =>
      askForObject({
        operation: operationFor('get', resource, key),
        method: 'GET',
        path: objectPath(resource, key),
        accept: acceptedType(resource, ''),
        signal: call?.signal,
      }),
    list: (resource, selection, call) => list(requests, { resource, selection }, call),
    create: async (resource, { namespace, signal }, object) =>
      askForObject({
        operation: operationFor('create', resource, { namespace }),
        method: 'POST',
        path: collectionPath(resource, namespace),
        body: { ...object, apiVersion: apiVersionOf(resource), kind: resource.kind },
        signal,
      }),
    patch: async (resource, key, patch) => {
      const subresource = patch.subresource === undefined ? '' : `/${patch.subresource}`;
      return askForObject({
        operation: operationFor('patch', { ...resource, plural: `${resource.plural}${subresource}` }, key),
        method: 'PATCH',
        path: `${objectPath(resource, key)}${subresource}${queryText({ fieldManager: MANAGER })}`,
        contentType: 'application/merge-patch+json',
        body: patch.body,
        signal: patch.signal,
      });
    },
    watch: (resource, selection, from) => watch(requests, { resource, selection }, from),
    close: async () => requests.close(),
  };
}

/** Whose fields those of a patch become. */
const MANAGER = 'ironic-coreos';

interface Query {
  readonly resource: ApiResource;
  readonly selection: ListSelector;
}

/** @throws ApiError for an invalid response */
function understand<T>(operation: Operation, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof ApiError) throw error;
    throw invalidResponse(operation, error instanceof Error ? error.message : 'the response is invalid');
  }
}

async function* list(
  requests: ApiRequests,
  { resource, selection }: Query,
  call?: CallOptions,
): AsyncGenerator<ListPage, void> {
  const operation = operationFor('list', resource, selection);
  const path = collectionPath(resource, selection.namespace);
  let limit = PAGE;
  let next: string | undefined;
  for (let count = 0; count < MAX_PAGES; count++) {
    const query = queryText({ fieldSelector: selection.fieldSelector, limit: String(limit), continue: next });
    const request: ApiRequest = {
      operation,
      method: 'GET',
      path: `${path}${query}`,
      accept: acceptedType(resource, 'List'),
      signal: call?.signal,
    };
    const page = await askForPage(requests, request);
    if (page === 'too large' && limit === 1) throw invalidResponse(operation, 'an object is too large');
    if (page === 'too large') {
      limit = Math.ceil(limit / 8);
      continue;
    }
    yield page;
    next = page.next;
    if (next === undefined) return;
  }
  throw invalidResponse(operation, 'the list does not end');
}

type Page = ListPage & { readonly next: string | undefined };

async function askForPage(requests: ApiRequests, request: ApiRequest): Promise<Page | 'too large'> {
  try {
    const answer = await requests.ask(request, MAX_PAGE);
    return understand(request.operation, () => readPage(answer, request.operation));
  } catch (error) {
    if (error instanceof ApiError && error.reason === ('TooLarge' satisfies OwnReason)) return 'too large';
    throw error;
  }
}

function readPage(answer: unknown, operation: Operation): Page {
  const resourceVersion = versionOf(answer, operation);
  const { items, metadata } = isMapping(answer) ? answer : {};
  if (!Array.isArray(items) && items !== null) throw invalidResponse(operation, 'the response is not a list');
  const next = isMapping(metadata) ? metadata['continue'] : undefined;
  return {
    objects: (items ?? []).map(readObject),
    resourceVersion,
    next: typeof next === 'string' && next !== '' ? next : undefined,
  };
}

async function* watch(
  requests: ApiRequests,
  { resource, selection }: Query,
  { resourceVersion, signal }: WatchStart,
): AsyncGenerator<WatchEvent, void> {
  const operation = operationFor('watch', resource, selection);
  const query = queryText({
    fieldSelector: selection.fieldSelector,
    watch: 'true',
    allowWatchBookmarks: 'true',
    resourceVersion,
    timeoutSeconds: String(Math.round(WATCH_TIME * (1 + Math.random()))),
  });
  const path = `${collectionPath(resource, selection.namespace)}${query}`;
  const parts = requests.stream({
    operation,
    method: 'GET',
    path,
    accept: acceptedType(resource, ''),
    isWatch: true,
    signal,
  });
  try {
    for await (const line of splitLines(parts, MAX_OBJECT)) {
      const event = understand(operation, () => readWatchEvent(line, operation));
      if (event !== undefined) yield event;
    }
  } catch (error) {
    throw describeBreak(error, operation);
  }
}
