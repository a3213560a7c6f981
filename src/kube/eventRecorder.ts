/**
 * Kubernetes events (events.k8s.io/v1), which `kubectl describe` shows for an object. Events are best
 * effort: they are written one at a time in the background, and dropped if too many wait.
 */

import { randomBytes } from 'node:crypto';
import { toError } from './apiError.ts';
import type { KubernetesClient } from './kubernetesClient.ts';
import { type Clock, pause, systemClock } from '../io/clock.ts';
import { formatMicroTime, apiVersionOf, events, type ObjectReference, type ApiResource } from './objects.ts';

export interface RecordedEvent {
  /** The kind of the regarding object. */
  readonly resource: ApiResource;
  readonly object: ObjectReference;
  readonly type: 'Normal' | 'Warning';
  /** The reason: `ImageBuildInvalid`. */
  readonly reason: string;
  /** The action: `BuildImage`. */
  readonly action: string;
  /** Truncated after 1024 bytes. */
  readonly message: string;
}

export interface EventRecorderOptions {
  readonly client: KubernetesClient;
  /** `metal3.io/ironic-coreos` */
  readonly controller: string;
  /** The name of the pod. */
  readonly instance: string;
  /** Receives write errors. */
  readonly onError?: (error: Error) => void;
  readonly clock?: Clock;
}

/** The maximum number of events that wait to be written. */
const MAX_WAITING = 200;
/** Milliseconds for the remaining events when the recorder stops. */
const LAST_WRITES = 2000;

/** Writes events one at a time. */
export class EventRecorder {
  readonly #options: EventRecorderOptions;
  readonly #waiting: (() => Promise<unknown>)[] = [];
  readonly #end = new AbortController();
  #writing: Promise<void> | undefined;

  constructor(options: EventRecorderOptions) {
    this.#options = options;
  }

  /** Records an event without waiting for the API server. */
  record(event: RecordedEvent): void {
    if (this.#end.signal.aborted || this.#waiting.length >= MAX_WAITING) return;
    const { client, clock = systemClock } = this.#options;
    const body = bodyOf(this.#options, event, clock.date());
    const { namespace } = event.object;
    this.#waiting.push(() => client.create(events, namespace, body, this.#end.signal));
    this.#writing ??= this.#writeAll();
  }

  /** Writes the remaining events, for at most two seconds. */
  async stop(): Promise<void> {
    const finished = new AbortController();
    const done = Promise.resolve(this.#writing).then(() => finished.abort());
    await pause(this.#options.clock ?? systemClock, LAST_WRITES, finished.signal);
    this.#end.abort();
    await done;
  }

  /** Never rejects. */
  async #writeAll(): Promise<void> {
    await Promise.resolve(); // the caller first stores this promise
    for (let write = this.#waiting.shift(); write !== undefined; write = this.#waiting.shift()) {
      try {
        await write();
      } catch (error) {
        if (this.#end.signal.aborted) break;
        this.#options.onError?.(toError(error));
      }
    }
    this.#writing = undefined;
  }
}

function bodyOf(options: EventRecorderOptions, event: RecordedEvent, now: Date) {
  const { namespace, name, uid, resourceVersion } = event.object;
  const stem = name.slice(0, 230).replace(/[.-]+$/, '');
  return {
    metadata: { name: `${stem}.${randomBytes(8).toString('hex')}`, namespace },
    eventTime: formatMicroTime(now),
    reportingController: options.controller,
    reportingInstance: options.instance,
    type: event.type,
    reason: event.reason,
    action: event.action,
    note: cutToBytes(event.message, 1024),
    regarding: {
      apiVersion: apiVersionOf(event.resource),
      kind: event.resource.kind,
      namespace,
      name,
      uid,
      resourceVersion,
    },
  };
}

/** Truncates between two characters. */
function cutToBytes(text: string, limit: number): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= limit) return text;
  let end = limit - Buffer.byteLength('…');
  while (((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return `${bytes.subarray(0, end).toString()}…`;
}
