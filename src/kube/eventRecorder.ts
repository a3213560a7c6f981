/**
 * Kubernetes events (events.k8s.io/v1), which `kubectl describe` shows for an object. They are written one at a time in the
 * background, and not again after an error.
 */

import { randomBytes } from 'node:crypto';
import { toError } from './apiError.ts';
import type { KubernetesClient } from './kubernetesClient.ts';
import { type Clock, pause, systemClock } from '../io/clock.ts';
import { formatMicroTime, apiVersionOf, events, type ObjectReference, type ApiResource } from './objects.ts';

export interface RecordedEvent {
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
  readonly onError?: (error: Error) => void;
  readonly clock?: Clock;
}

/** Milliseconds for the remaining events when the recorder stops. */
const LAST_WRITES = 2000;

export class EventRecorder {
  readonly #options: EventRecorderOptions;
  readonly #end = new AbortController();
  /** Resolves when all events are written or have failed. */
  #written = Promise.resolve();

  constructor(options: EventRecorderOptions) {
    this.#options = options;
  }

  /** Records an event without waiting for the API server. */
  record(event: RecordedEvent): void {
    const { signal } = this.#end;
    if (signal.aborted) return;
    const { client, clock = systemClock, onError } = this.#options;
    const body = bodyOf(this.#options, event, clock.date());
    const write = async (): Promise<void> => {
      await client.create(events, event.object.namespace, body, signal);
    };
    this.#written = this.#written.then(write).catch((error: unknown) => {
      if (!signal.aborted) onError?.(toError(error));
    });
  }

  /** Writes the remaining events, for at most two seconds. */
  async stop(): Promise<void> {
    const finished = new AbortController();
    void this.#written.then(() => finished.abort());
    await pause(this.#options.clock ?? systemClock, LAST_WRITES, finished.signal);
    this.#end.abort();
    await this.#written;
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

function cutToBytes(text: string, limit: number): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= limit) return text;
  const kept = bytes.subarray(0, limit - Buffer.byteLength('…'));
  return `${new TextDecoder().decode(kept, { stream: true })}…`; // without a part of a character
}
