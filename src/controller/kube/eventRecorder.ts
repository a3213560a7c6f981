/**
 * Events of Kubernetes (events.k8s.io/v1), which `kubectl describe` shows with the object that they are about. What
 * happens again is counted in the event that there is. Events are a courtesy: they are written one at a time, nothing waits
 * for them, and those that would pile up are dropped.
 */

import { randomBytes } from 'node:crypto';
import { isNotFound } from './apiError.ts';
import type { KubernetesClient } from './kubernetesClient.ts';
import { type Clock, pause, systemClock } from '../../io/clock.ts';
import { formatMicroTime, apiVersionOf, events, type KubernetesObject, type ApiResource } from './objects.ts';

export interface RecordedEvent {
  /** What it is about. */
  readonly resource: ApiResource;
  readonly object: Pick<KubernetesObject, 'metadata'>;
  readonly type: 'Normal' | 'Warning';
  /** A word, why: `ImageBuildInvalid`. */
  readonly reason: string;
  /** A word, what was being done: `MakeImage`. */
  readonly action: string;
  /** Cut after 1024 bytes. */
  readonly message: string;
}

export interface EventRecorderOptions {
  readonly client: KubernetesClient;
  /** `metal3.io/ironic-coreos` */
  readonly controller: string;
  /** The name of the pod. */
  readonly instance: string;
  /** Takes what could not be written. */
  readonly trouble?: (error: Error) => void;
  readonly clock?: Clock;
}

/** Milliseconds within which the same counts as happening again, as for client-go. */
const SAME_FOR = 360_000;
/** Events that are remembered, so that they can be counted. */
const MAX_SERIES = 1000;
/** Events that wait to be written. */
const MAX_WAITING = 200;
/** Milliseconds. */
const LAST_WRITES = 2000;

/** One event, and how often it has happened. */
interface Series {
  readonly event: RecordedEvent;
  readonly first: Date;
  readonly name: string;
  last: Date;
  /** In milliseconds of the clock. */
  lastTime: number;
  count: number;
  /** Whether the API server has it. */
  isWritten: boolean;
}

/** Writes events one at a time. */
export class EventRecorder {
  readonly #options: EventRecorderOptions;
  readonly #clock: Clock;
  /** By what makes them the same, the longest unused first. */
  readonly #series = new Map<string, Series>();
  /** To be written. */
  readonly #waiting = new Set<Series>();
  readonly #end = new AbortController();
  #writing: Promise<void> | undefined;

  constructor(options: EventRecorderOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
  }

  /** Returns at once. */
  record(event: RecordedEvent): void {
    if (this.#end.signal.aborted) return;
    const series = this.#count(event);
    if (this.#waiting.size >= MAX_WAITING) return;
    this.#waiting.add(series);
    this.#writing ??= this.#writeAll();
  }

  /** Writes what is still to be written, for two seconds at most. */
  async stop(): Promise<void> {
    const enough = new AbortController();
    const done = Promise.resolve(this.#writing).then(() => enough.abort());
    await pause(this.#clock, LAST_WRITES, enough.signal);
    this.#end.abort();
    await done;
  }

  #count(event: RecordedEvent): Series {
    const { object, type, reason, action, message } = event;
    const identity = JSON.stringify([object.metadata.uid, type, reason, action, message]);
    const [date, now] = [this.#clock.date(), this.#clock.now()];
    const known = this.#series.get(identity);
    this.#series.delete(identity);
    const isSame = known !== undefined && now - known.lastTime < SAME_FOR;
    const counted = isSame ? known : startSeries(event, date);
    counted.count += 1;
    counted.last = date;
    counted.lastTime = now;
    this.#series.set(identity, counted);
    for (const oldest of this.#series.keys()) {
      if (this.#series.size <= MAX_SERIES) break;
      this.#series.delete(oldest);
    }
    return counted;
  }

  /** Never rejects. */
  async #writeAll(): Promise<void> {
    await Promise.resolve(); // lets the caller note that it runs
    for (const series of this.#waiting) {
      this.#waiting.delete(series);
      try {
        await this.#write(series);
      } catch (error) {
        if (this.#end.signal.aborted) break;
        const shown = error instanceof Error ? error : new Error('unknown trouble', { cause: error });
        this.#options.trouble?.(shown);
      }
    }
    this.#writing = undefined;
  }

  async #write(series: Series): Promise<void> {
    if (series.isWritten && (await this.#writeCount(series))) return;
    const { client } = this.#options;
    const { namespace } = series.event.object.metadata;
    await client.create(events, { namespace, signal: this.#end.signal }, bodyOf(this.#options, series));
    series.isWritten = true;
  }

  /** Resolves to whether the event is still there: API servers drop them after an hour. */
  async #writeCount({ event, name, ...series }: Series): Promise<boolean> {
    const { namespace } = event.object.metadata;
    const body = { series: countOf(series) };
    try {
      await this.#options.client.patch(events, { namespace, name }, { body, signal: this.#end.signal });
      return true;
    } catch (error) {
      if (isNotFound(error)) return false;
      throw error;
    }
  }
}

function startSeries(event: RecordedEvent, first: Date): Series {
  const { name } = event.object.metadata;
  const unique = `${name.slice(0, 230).replace(/[.-]+$/, '')}.${randomBytes(8).toString('hex')}`;
  return { event, first, name: unique, last: first, lastTime: 0, count: 0, isWritten: false };
}

function countOf({ count, last }: Pick<Series, 'count' | 'last'>): Record<string, unknown> {
  return { count, lastObservedTime: formatMicroTime(last) };
}

function bodyOf(options: EventRecorderOptions, series: Series): NewEvent {
  const { event, first, name } = series;
  const { metadata } = event.object;
  return {
    metadata: { name, namespace: metadata.namespace },
    eventTime: formatMicroTime(first),
    reportingController: options.controller,
    reportingInstance: options.instance,
    type: event.type,
    reason: event.reason,
    action: event.action,
    note: cutToBytes(event.message, 1024),
    ...(series.count > 1 && { series: countOf(series) }),
    regarding: {
      apiVersion: apiVersionOf(event.resource),
      kind: event.resource.kind,
      namespace: metadata.namespace,
      name: metadata.name,
      uid: metadata.uid,
      resourceVersion: metadata.resourceVersion,
    },
  };
}

type NewEvent = Readonly<Record<string, unknown>> & { readonly metadata: Readonly<Record<string, unknown>> };

/** At the end of a character. */
function cutToBytes(text: string, limit: number): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= limit) return text;
  let end = limit - Buffer.byteLength('…');
  while (((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return `${bytes.subarray(0, end).toString()}…`;
}
