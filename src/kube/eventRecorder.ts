/**
 * Kubernetes events (events.k8s.io/v1), which `kubectl describe` shows for an object. A repeated event is counted in the
 * existing one. Events are best effort: they are written one at a time in the background, and dropped if too many wait.
 */

import { randomBytes } from 'node:crypto';
import { isNotFound, toError } from './apiError.ts';
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

/** Milliseconds within which the same event counts as repeated, as in client-go. */
const REPEAT_INTERVAL = 360_000;
/** The number of events that are remembered for counting. */
const MAX_SERIES = 1000;
/** The maximum number of events that wait to be written. */
const MAX_WAITING = 200;
/** Milliseconds for the remaining events when the recorder stops. */
const LAST_WRITES = 2000;

/** An event with its count. */
interface Series {
  readonly event: RecordedEvent;
  readonly first: Date;
  readonly name: string;
  last: Date;
  /** In milliseconds of the clock. */
  lastTime: number;
  count: number;
  /** Whether the event exists in the API server. */
  isWritten: boolean;
}

/** Writes events one at a time. */
export class EventRecorder {
  readonly #options: EventRecorderOptions;
  readonly #clock: Clock;
  /** By identity, least recently used first. */
  readonly #series = new Map<string, Series>();
  /** Events to be written. */
  readonly #waiting = new Set<Series>();
  readonly #end = new AbortController();
  #writing: Promise<void> | undefined;

  constructor(options: EventRecorderOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
  }

  /** Records an event without waiting for the API server. */
  record(event: RecordedEvent): void {
    if (this.#end.signal.aborted) return;
    const series = this.#count(event);
    if (this.#waiting.size >= MAX_WAITING) return;
    this.#waiting.add(series);
    this.#writing ??= this.#writeAll();
  }

  /** Writes the remaining events, for at most two seconds. */
  async stop(): Promise<void> {
    const finished = new AbortController();
    const done = Promise.resolve(this.#writing).then(() => finished.abort());
    await pause(this.#clock, LAST_WRITES, finished.signal);
    this.#end.abort();
    await done;
  }

  #count(event: RecordedEvent): Series {
    const { object, type, reason, action, message } = event;
    const identity = JSON.stringify([object.uid, type, reason, action, message]);
    const [date, now] = [this.#clock.date(), this.#clock.now()];
    const known = this.#series.get(identity);
    this.#series.delete(identity);
    const isSame = known !== undefined && now - known.lastTime < REPEAT_INTERVAL;
    const counted = isSame ? known : startSeries(event, date);
    counted.count += 1;
    counted.last = date;
    counted.lastTime = now;
    this.#series.set(identity, counted);
    const [oldest = ''] = this.#series.keys();
    if (this.#series.size > MAX_SERIES) this.#series.delete(oldest);
    return counted;
  }

  /** Never rejects. */
  async #writeAll(): Promise<void> {
    await Promise.resolve(); // the caller first stores this promise
    for (const series of this.#waiting) {
      this.#waiting.delete(series);
      try {
        await this.#write(series);
      } catch (error) {
        if (this.#end.signal.aborted) break;
        this.#options.onError?.(toError(error));
      }
    }
    this.#writing = undefined;
  }

  async #write(series: Series): Promise<void> {
    if (series.isWritten && (await this.#writeCount(series))) return;
    const { namespace } = series.event.object;
    await this.#options.client.create(events, namespace, bodyOf(this.#options, series), this.#end.signal);
    series.isWritten = true;
  }

  /** Resolves to whether the event still exists: API servers delete events after an hour. */
  async #writeCount({ event, name, ...series }: Series): Promise<boolean> {
    const { namespace } = event.object;
    const body = { series: countOf(series.count, series.last) };
    try {
      await this.#options.client.patch(events, { namespace, name }, { body }, this.#end.signal);
      return true;
    } catch (error) {
      if (isNotFound(error)) return false;
      throw error;
    }
  }
}

function startSeries(event: RecordedEvent, first: Date): Series {
  const unique = `${event.object.name.slice(0, 230).replace(/[.-]+$/, '')}.${randomBytes(8).toString('hex')}`;
  return { event, first, name: unique, last: first, lastTime: 0, count: 0, isWritten: false };
}

function countOf(count: number, last: Date): Record<string, unknown> {
  return { count, lastObservedTime: formatMicroTime(last) };
}

function bodyOf(options: EventRecorderOptions, series: Series) {
  const { event, first, name } = series;
  const { namespace, name: objectName, uid, resourceVersion } = event.object;
  return {
    metadata: { name, namespace },
    eventTime: formatMicroTime(first),
    reportingController: options.controller,
    reportingInstance: options.instance,
    type: event.type,
    reason: event.reason,
    action: event.action,
    note: cutToBytes(event.message, 1024),
    ...(series.count > 1 && { series: countOf(series.count, series.last) }),
    regarding: {
      apiVersion: apiVersionOf(event.resource),
      kind: event.resource.kind,
      namespace,
      name: objectName,
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
