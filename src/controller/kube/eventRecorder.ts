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

export interface EventRecorder {
  /** Returns at once. */
  record(event: RecordedEvent): void;
  /** Writes what is still to be written, for two seconds at most. */
  stop(): Promise<void>;
}

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

export function createEventRecorder(options: EventRecorderOptions): EventRecorder {
  const state: State = {
    options,
    clock: options.clock ?? systemClock,
    series: new Map(),
    waiting: new Set(),
    end: new AbortController(),
    writing: undefined,
  };
  return {
    record: (event) => record(state, event),
    stop: async () => {
      const enough = new AbortController();
      const done = Promise.resolve(state.writing).then(() => enough.abort());
      await pause(state.clock, LAST_WRITES, enough.signal);
      state.end.abort();
      await done;
    },
  };
}

interface State {
  readonly options: EventRecorderOptions;
  readonly clock: Clock;
  /** By what makes them the same, the longest unused first. */
  readonly series: Map<string, Series>;
  /** To be written. */
  readonly waiting: Set<Series>;
  readonly end: AbortController;
  writing: Promise<void> | undefined;
}

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

function record(state: State, event: RecordedEvent): void {
  if (state.end.signal.aborted) return;
  const series = countEvent(state, event);
  if (state.waiting.size >= MAX_WAITING) return;
  state.waiting.add(series);
  state.writing ??= writeAll(state);
}

function countEvent({ clock, series }: State, event: RecordedEvent): Series {
  const { object, type, reason, action, message } = event;
  const identity = JSON.stringify([object.metadata.uid, type, reason, action, message]);
  const [date, now] = [clock.date(), clock.now()];
  const known = series.get(identity);
  series.delete(identity);
  const isSame = known !== undefined && now - known.lastTime < SAME_FOR;
  const counted = isSame ? known : startSeries(event, date);
  counted.count += 1;
  counted.last = date;
  counted.lastTime = now;
  series.set(identity, counted);
  for (const oldest of series.keys()) {
    if (series.size <= MAX_SERIES) break;
    series.delete(oldest);
  }
  return counted;
}

function startSeries(event: RecordedEvent, first: Date): Series {
  const { name } = event.object.metadata;
  const unique = `${name.slice(0, 230).replace(/[.-]+$/, '')}.${randomBytes(8).toString('hex')}`;
  return { event, first, name: unique, last: first, lastTime: 0, count: 0, isWritten: false };
}

/** Never rejects. */
async function writeAll(state: State): Promise<void> {
  const { options, waiting, end } = state;
  await Promise.resolve(); // lets the caller note that it runs
  for (const series of waiting) {
    waiting.delete(series);
    try {
      await write(state, series);
    } catch (error) {
      if (end.signal.aborted) break;
      options.trouble?.(error instanceof Error ? error : new Error('unknown trouble', { cause: error }));
    }
  }
  state.writing = undefined;
}

async function write(state: State, series: Series): Promise<void> {
  if (series.isWritten && (await writeCount(state, series))) return;
  const { client } = state.options;
  const { namespace } = series.event.object.metadata;
  await client.create(events, { namespace, signal: state.end.signal }, bodyOf(state, series));
  series.isWritten = true;
}

/** Resolves to whether the event is still there: API servers drop them after an hour. */
async function writeCount({ options, end }: State, series: Series): Promise<boolean> {
  const { namespace } = series.event.object.metadata;
  const { name } = series;
  const body = { series: countOf(series) };
  try {
    await options.client.patch(events, { namespace, name }, { body, signal: end.signal });
    return true;
  } catch (error) {
    if (isNotFound(error)) return false;
    throw error;
  }
}

function countOf({ count, last }: Series): Record<string, unknown> {
  return { count, lastObservedTime: formatMicroTime(last) };
}

function bodyOf({ options }: State, series: Series): NewEvent {
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
