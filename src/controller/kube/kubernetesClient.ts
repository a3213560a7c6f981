/**
 * The client for the Kubernetes API server. It checks all responses. It supports the requests of a controller for one kind of
 * object. Not supported: cluster-scoped kinds, discovery, protobuf, deletion, and updates of whole objects (it uses patches).
 */

import { asMapping } from '../../formats/mapping.ts';
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
import { ApiError, invalidResponse, type OwnReason } from './apiError.ts';
import { type ApiRequest, ApiRequests, type RequestSettings } from './apiRequests.ts';
import type { ClusterConfig } from './clusterConfig.ts';
import { readWatchEvent, splitLines, versionOf, type WatchEvent } from './watchStream.ts';

/** All methods throw ApiError, and UsageError for invalid names and namespaces. */
export interface KubernetesClient {
  get(resource: ApiResource, key: ObjectKey, signal?: AbortSignal): Promise<KubernetesObject>;
  /** Lists all objects, page by page, from one resource version. Throws an `isExpired` error if that takes too long. */
  list(resource: ApiResource, selection: ListSelector, signal?: AbortSignal): AsyncIterable<ListPage>;
  /** @param object has `metadata.name` or `metadata.generateName`; `apiVersion` and `kind` are added */
  create(
    resource: ApiResource,
    namespace: string,
    object: NewObject,
    signal?: AbortSignal,
  ): Promise<KubernetesObject>;
  patch(
    resource: ApiResource,
    key: ObjectKey,
    patch: MergePatch,
    signal?: AbortSignal,
  ): Promise<KubernetesObject>;
  /**
   * Watches changes on one connection, until the API server closes it. `Informer` reconnects.
   * @param from the watch reports changes after this resource version
   */
  watch(
    resource: ApiResource,
    selection: ListSelector,
    from: string,
    signal?: AbortSignal,
  ): AsyncIterable<WatchEvent>;
  /** Aborts all running requests. */
  close(): Promise<void>;
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
export interface MergePatch {
  /** With `metadata.resourceVersion`, the patch is refused (`isConflict`) if the object was changed meanwhile. */
  readonly body: Readonly<Record<string, unknown>>;
  readonly subresource?: 'status' | undefined;
}

/** Bytes. etcd accepts objects of 1.5 MiB; managed fields and JSON escapes may increase that several times. */
const MAX_OBJECT = 8 * 1024 * 1024;
const MAX_PAGE = 32 * 1024 * 1024;
/** Objects per page; fewer if the objects are large. */
const PAGE = 250;
/** The maximum number of pages of a list. */
const MAX_PAGES = 2000;
/** Minimum duration of a watch in seconds; the maximum is twice as long, so that not all watches end at the same time. */
const WATCH_TIME = 300;
/** The owner of the fields that a patch sets. */
const MANAGER = 'ironic-coreos';

/** Connects with the first request. */
export function createKubernetesClient(
  config: ClusterConfig,
  settings: RequestSettings = {},
): KubernetesClient {
  const requests = new ApiRequests(config, settings);
  const askForObject = async (request: ApiRequest): Promise<KubernetesObject> =>
    readObject(await requests.ask(request, MAX_OBJECT), request.operation);
  return {
    get: async (resource, key, signal) =>
      askForObject({
        operation: operationFor('get', resource, key),
        method: 'GET',
        path: objectPath(resource, key),
        accept: acceptedType(resource, ''),
        signal,
      }),
    list: (resource, selection, signal) => list(requests, resource, selection, signal),
    create: async (resource, namespace, object, signal) =>
      askForObject({
        operation: operationFor('create', resource, { namespace }),
        method: 'POST',
        path: collectionPath(resource, namespace),
        body: { ...object, apiVersion: apiVersionOf(resource), kind: resource.kind },
        signal,
      }),
    patch: async (resource, key, { body, subresource }, signal) => {
      const suffix = subresource === undefined ? '' : `/${subresource}`;
      return askForObject({
        operation: operationFor('patch', { ...resource, plural: `${resource.plural}${suffix}` }, key),
        method: 'PATCH',
        path: `${objectPath(resource, key)}${suffix}${queryText({ fieldManager: MANAGER })}`,
        contentType: 'application/merge-patch+json',
        body,
        signal,
      });
    },
    watch: async function* watch(resource, selection, from, signal) {
      const request = watchRequest(resource, selection, from, signal);
      for await (const line of splitLines(requests.stream(request), MAX_OBJECT, request.operation)) {
        const event = readWatchEvent(line, request.operation);
        if (event !== undefined) yield event;
      }
    },
    close: async () => requests.close(),
  };
}

function watchRequest(
  resource: ApiResource,
  { namespace, fieldSelector }: ListSelector,
  resourceVersion: string,
  signal: AbortSignal | undefined,
): ApiRequest {
  const query = queryText({
    fieldSelector,
    watch: 'true',
    allowWatchBookmarks: 'true',
    resourceVersion,
    timeoutSeconds: String(Math.round(WATCH_TIME * (1 + Math.random()))),
  });
  return {
    operation: operationFor('watch', resource, { namespace }),
    method: 'GET',
    path: `${collectionPath(resource, namespace)}${query}`,
    accept: acceptedType(resource, ''),
    isWatch: true,
    signal,
  };
}

async function* list(
  requests: ApiRequests,
  resource: ApiResource,
  { namespace, fieldSelector }: ListSelector,
  signal: AbortSignal | undefined,
): AsyncGenerator<ListPage, void> {
  const operation = operationFor('list', resource, { namespace });
  const path = collectionPath(resource, namespace);
  const accept = acceptedType(resource, 'List');
  let limit = PAGE;
  let next: string | undefined;
  for (let count = 0; count < MAX_PAGES; count++) {
    const query = queryText({ fieldSelector, limit: String(limit), continue: next });
    const request: ApiRequest = { operation, method: 'GET', path: `${path}${query}`, accept, signal };
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
    return readPage(await requests.ask(request, MAX_PAGE), request.operation);
  } catch (error) {
    if (error instanceof ApiError && error.reason === ('TooLarge' satisfies OwnReason)) return 'too large';
    throw error;
  }
}

function readPage(answer: unknown, operation: string): Page {
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
