/**
 * The events of one machine, or of one address, and the stages that they show. Events of the same kind are one entry, and
 * the number of entries is limited. Before the agent starts, the stages depend on the boot method. Then they are the same for
 * all machines: the agent sends the inventory (if inspection is configured), requests the API versions, sends a lookup, and
 * then heartbeats.
 */

import { artifacts } from '../../core/artifacts.ts';
import { type BmcEvent, byKind, type ByKind, type FetchEvent, type TrialEvent } from './events.ts';
import type { Stage } from './stage.ts';

/** The stage that an event shows; undefined for events without a stage, for example refusals. */
const eventStages: ByKind<Stage | undefined> = {
  machine: ({ state }) => (state === 'started' || state === 'rebooted' ? 'power' : undefined),
  console: ({ stage }) => stage,
  bmc: ({ step }) => bmcStages[step],
  fetch: ({ artifact }) => artifacts[artifact].stage,
  api: () => 'api',
  inspection: ({ kind, node }) => (node === undefined ? undefined : kind),
  lookup: ({ kind, node }) => (node === undefined ? undefined : kind),
  heartbeat: ({ kind, problem }) => (problem === undefined ? kind : undefined),
  callback: ({ kind, problem }) => (problem === undefined ? kind : undefined),
  steps: ({ kind, problem }) => (problem === undefined ? kind : undefined),
  refusal: () => undefined,
};

const bmcStages: Readonly<Partial<Record<BmcEvent['step'], Stage>>> = {
  'boot device': 'boot device',
  'power on': 'power',
};

/** Events that are reported as one: all ranges of an ISO, all accepted heartbeats. */
export interface TimelineEntry {
  readonly first: Date;
  readonly last: Date;
  readonly count: number;
  /** How often a complete fetch was repeated; 0 for other events. */
  readonly repeats: number;
  readonly event: TrialEvent;
}

/** The one with the latest event is the last. */
export function byLastEvent(a: TimelineEntry, b: TimelineEntry): number {
  return a.last.getTime() - b.last.getTime();
}

/** Maximum number of entries of one log. An entry takes about 1 KiB, and a booting machine causes about 15. */
const MAX_ENTRIES = 50;

export type EntryLog = ReturnType<typeof createEntryLog>;

/** Mutable: events are added to it. */
export function createEntryLog() {
  return {
    entries: new Map<string, TimelineEntry>(),
    /** All reached stages, including those of dropped entries, with the first and the last event that shows them. */
    milestones: new Map<Stage, Pick<TimelineEntry, 'first' | 'last'>>(),
    /** Number of entries that newer ones have replaced. */
    dropped: 0,
  };
}

/** @returns the entry before the event was added */
export function addEvent(log: EntryLog, event: TrialEvent): TimelineEntry | undefined {
  const { at } = event;
  const previous = log.entries.get(keyOf(event));
  addEntry(log, { first: at, last: at, count: 1, repeats: 0, event });
  const stage = byKind(eventStages, event);
  if (stage !== undefined) addMilestone(log, stage, { first: at, last: at });
  return previous;
}

/** Adds all entries of `other`. At the same time, they come after those of `log`. */
export function mergeLog(log: EntryLog, other: EntryLog): void {
  for (const entry of other.entries.values()) addEntry(log, entry);
  for (const [stage, milestone] of other.milestones) addMilestone(log, stage, milestone);
  log.dropped += other.dropped;
}

/** Whether the client has fetched the complete file. */
export function isFullyFetched({ bytes, size }: FetchEvent): boolean {
  return bytes >= size;
}

/** Whether a transfer was interrupted. BMCs close connections to ISOs as soon as they have the bytes that they need. */
export function isInterrupted(event: FetchEvent): boolean {
  if (isFullyFetched(event)) return false;
  const { artifact, outcome } = event;
  return (
    outcome === 'failed' ||
    outcome === 'aborted' ||
    (outcome === 'client disconnected' && !artifact.endsWith('iso'))
  );
}

function addEntry(log: EntryLog, added: TimelineEntry): void {
  const key = keyOf(added.event);
  const known = log.entries.get(key);
  log.entries.set(key, known === undefined ? added : joinEntries(known, added));
  if (log.entries.size > MAX_ENTRIES) {
    const [oldest] = [...log.entries.values()].toSorted(byLastEvent);
    if (oldest !== undefined) log.entries.delete(keyOf(oldest.event));
    log.dropped++;
  }
}

function joinEntries(a: TimelineEntry, b: TimelineEntry): TimelineEntry {
  const [earlier, later] = b.last >= a.last ? [a, b] : [b, a];
  return {
    first: a.first <= b.first ? a.first : b.first,
    last: later.last,
    count: a.count + b.count,
    repeats: a.repeats + b.repeats + (isRepeated(earlier.event, later.event) ? 1 : 0),
    event: later.event,
  };
}

/** The byte count of a client only grows, until the client fetches a complete file again. */
function isRepeated(before: TrialEvent, event: TrialEvent): boolean {
  return (
    before.kind === 'fetch' && event.kind === 'fetch' && isFullyFetched(before) && event.bytes < before.bytes
  );
}

function addMilestone(
  { milestones }: EntryLog,
  stage: Stage,
  { first, last }: Pick<TimelineEntry, 'first' | 'last'>,
): void {
  const known = milestones.get(stage) ?? { first, last };
  milestones.set(stage, {
    first: known.first <= first ? known.first : first,
    last: known.last > last ? known.last : last,
  });
}

/** The same key for events that are reported as one. */
function keyOf(event: TrialEvent): string {
  return JSON.stringify(event, (name, value: unknown) => (changing.has(name) ? undefined : value));
}

/** Fields that may differ between events that are reported as one. */
const changing = new Set([
  'at',
  'artifact',
  'bytes',
  'size',
  'host',
  'outcome',
  'macs',
  'summary',
  'agentVersion',
  'userAgent',
  'line',
  'lastLines',
  'managers',
]);
