/**
 * The client for the Kubernetes API server. It checks all responses. It supports the requests of a controller for one kind of
 * object. Not supported: cluster-scoped kinds, discovery, protobuf, deletion, and updates of whole objects (it uses patches).
 */

import { asMapping } from '../formats/mapping.ts';
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
import { invalidResponse } from './apiError.ts';
import { type ApiRequest, ApiRequests, type RequestSettings } from './apiRequests.ts';
import type { ClusterConfig } from './clusterConfig.ts';
import { readWatchEvent, splitLines, versionOf, type WatchEvent } from './watchStream.ts';

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
/** Objects per page. */
const PAGE = 250;
/** Minimum duration of a watch in seconds; the maximum is twice as long, so that not all watches end at the same time. */
const WATCH_TIME = 300;
/** The owner of the fields that a patch sets. */
const MANAGER = 'ironic-coreos';

/** Connects with the first request. All methods throw ApiError, and UsageError for invalid names and namespaces. */
export class ApiClient {
  readonly #requests: ApiRequests;

  constructor(config: ClusterConfig, settings: RequestSettings = {}) {
    this.#requests = new ApiRequests(config, settings);
  }

  async get(resource: ApiResource, key: ObjectKey, signal?: AbortSignal): Promise<KubernetesObject> {
    return this.#askForObject({
      operation: operationFor('get', resource, key),
      method: 'GET',
      path: objectPath(resource, key),
      accept: acceptedType(resource, ''),
      signal,
    });
  }

  /** Lists all objects, page by page, from one resource version. Throws an `isExpired` error if that takes too long. */
  async *list(
    resource: ApiResource,
    { namespace, fieldSelector }: ListSelector,
    signal?: AbortSignal,
  ): AsyncGenerator<ListPage, void> {
    const operation = operationFor('list', resource, { namespace });
    const path = collectionPath(resource, namespace);
    const accept = acceptedType(resource, 'List');
    let next: string | undefined;
    do {
      const query = queryText({ fieldSelector, limit: String(PAGE), continue: next });
      const request = { operation, method: 'GET', path: `${path}${query}`, accept, signal } as const;
      const page = readPage(await this.#requests.ask(request, MAX_PAGE), operation);
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
      contentType: 'application/merge-patch+json',
      body,
      signal,
    });
  }

  /**
   * Watches changes on one connection, until the API server closes it. `Informer` reconnects.
   * @param resourceVersion the watch reports changes after this version
   */
  async *watch(
    resource: ApiResource,
    { namespace, fieldSelector }: ListSelector,
    resourceVersion: string,
    signal?: AbortSignal,
  ): AsyncGenerator<WatchEvent, void> {
    const operation = operationFor('watch', resource, { namespace });
    const query = queryText({
      fieldSelector,
      watch: 'true',
      allowWatchBookmarks: 'true',
      resourceVersion,
      timeoutSeconds: String(Math.round(WATCH_TIME * (1 + Math.random()))),
    });
    const path = `${collectionPath(resource, namespace)}${query}`;
    const accept = acceptedType(resource, '');
    const parts = this.#requests.stream({ operation, method: 'GET', path, accept, isWatch: true, signal });
    for await (const line of splitLines(parts, MAX_OBJECT, operation)) {
      const event = readWatchEvent(line, operation);
      if (event !== undefined) yield event;
    }
  }

  /** Aborts all running requests. */
  async close(): Promise<void> {
    await this.#requests.close();
  }

  async #askForObject(request: ApiRequest): Promise<KubernetesObject> {
    return readObject(await this.#requests.ask(request, MAX_OBJECT), request.operation);
  }
}

/** The public methods, which tests implement without a server. */
export type KubernetesClient = Pick<ApiClient, keyof ApiClient>;

type Page = ListPage & { readonly next: string | undefined };

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
