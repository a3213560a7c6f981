/** What one machine, or one address, was seen to do: events of the same kind are one entry, and there is a bound to them. */

import type { FetchEvent, TrialEvent } from './events.ts';
import { type Stage, stageOf } from './stages.ts';

/** Events that are told as one: all ranges of an ISO, all heartbeats that were taken. */
export interface TimelineEntry {
  readonly first: Date;
  readonly last: Date;
  /** How many events. */
  readonly count: number;
  /** How often a fetch began anew after all had been fetched; 0 for what is no fetch. */
  readonly repeats: number;
  /** The last one. */
  readonly event: TrialEvent;
}

/** When a stage was reached, and when something last showed so. */
export interface Milestone {
  readonly first: Date;
  readonly last: Date;
}

/** Changes as events are added to it. */
export interface EntryLog {
  readonly entries: Map<string, TimelineEntry>;
  /** All stages that were reached, whatever entries had to make room. */
  readonly milestones: Map<Stage, Milestone>;
  /** Entries that had to make room for newer ones. */
  dropped: number;
}

/** The most entries of one log. An entry takes about a kilobyte, and a machine that boots makes about fifteen. */
const MAX_ENTRIES = 50;

export function createEntryLog(): EntryLog {
  return { entries: new Map(), milestones: new Map(), dropped: 0 };
}

/** @returns the entry that the event is in, and what it was before */
export function addEvent(
  log: EntryLog,
  event: TrialEvent,
): { readonly entry: TimelineEntry; readonly previous: TimelineEntry | undefined } {
  const { at } = event;
  const previous = log.entries.get(keyOf(event));
  const entry = addEntry(log, { first: at, last: at, count: 1, repeats: 0, event });
  const stage = stageOf(event);
  if (stage !== undefined) addMilestone(log, stage, { first: at, last: at });
  return { entry, previous };
}

/** All that both hold; the entries of `other` come behind those of `log` where they began at the same time. */
export function mergeLog(log: EntryLog, other: EntryLog): void {
  for (const entry of other.entries.values()) addEntry(log, entry);
  for (const [stage, milestone] of other.milestones) addMilestone(log, stage, milestone);
  log.dropped += other.dropped;
}

/** Whether the client has all of it. */
export function isWhole({ bytes, size }: Pick<FetchEvent, 'bytes' | 'size'>): boolean {
  return bytes >= size;
}

/** Whether it was to go on. BMCs break off what they read of an ISO whenever they have what they want. */
export function isBrokenOff(event: FetchEvent): boolean {
  if (isWhole(event)) return false;
  const { artifact, outcome } = event;
  return (
    outcome === 'failed' || outcome === 'cut off' || (outcome === 'client gone' && !artifact.endsWith('iso'))
  );
}

function addEntry(log: EntryLog, added: TimelineEntry): TimelineEntry {
  const key = keyOf(added.event);
  const known = log.entries.get(key);
  const entry = known === undefined ? added : joinEntries(known, added);
  log.entries.set(key, entry);
  if (log.entries.size > MAX_ENTRIES) dropOldest(log);
  return entry;
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

/** What a client has had of an image only ever grows, until it has all and comes again. */
function isRepeated(before: TrialEvent, event: TrialEvent): boolean {
  return before.kind === 'fetch' && event.kind === 'fetch' && isWhole(before) && event.bytes < before.bytes;
}

function addMilestone({ milestones }: EntryLog, stage: Stage, { first, last }: Milestone): void {
  const known = milestones.get(stage) ?? { first, last };
  milestones.set(stage, {
    first: known.first <= first ? known.first : first,
    last: known.last > last ? known.last : last,
  });
}

function dropOldest(log: EntryLog): void {
  const [oldest] = [...log.entries].toSorted(([, a], [, b]) => a.last.getTime() - b.last.getTime());
  if (oldest === undefined) return;
  log.entries.delete(oldest[0]);
  log.dropped++;
}

/** The same for events that are told as one. */
function keyOf(event: TrialEvent): string {
  return JSON.stringify(event, (name, value: unknown) => (changing.has(name) ? undefined : value));
}

/** What may differ between two events that are told as one. */
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
]);
