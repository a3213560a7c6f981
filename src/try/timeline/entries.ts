/** What one machine, or one client, was seen to do: events of the same kind are one entry, and there is a bound to them. */

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

type Kind = TrialEvent['kind'];

/** Changes as events are added to it. */
export interface EntryLog {
  readonly entries: Map<string, TimelineEntry>;
  readonly milestones: Map<Stage, Milestone>;
  /** The last event of each kind: these are known, whatever entries are forgotten. */
  readonly latest: Map<Kind, TrialEvent>;
  /** Entries that had to make place for newer ones. */
  dropped: number;
  /** Grows with every change. */
  revision: number;
}

export function createEntryLog(): EntryLog {
  return { entries: new Map(), milestones: new Map(), latest: new Map(), dropped: 0, revision: 0 };
}

/**
 * @param most entries that are kept; the one that was quiet for longest makes place
 * @returns the entry that the event is in, and what it was before
 */
export function addEvent(
  log: EntryLog,
  event: TrialEvent,
  most: number,
): { readonly entry: TimelineEntry; readonly previous: TimelineEntry | undefined } {
  const key = keyOf(event);
  const previous = log.entries.get(key);
  const entry = previous === undefined ? entryOf(event) : joinEntries(previous, entryOf(event));
  log.entries.set(key, entry);
  const stage = stageOf(event);
  if (stage !== undefined) addMilestone(log.milestones, stage, { first: event.at, last: event.at });
  remember(log, event);
  log.revision++;
  if (log.entries.size > most) dropOldest(log);
  return { entry, previous };
}

/** All that both hold; the entries of `other` come behind those of `log` where they began at the same time. */
export function absorbLog(log: EntryLog, other: EntryLog, most: number): void {
  for (const [key, entry] of other.entries) {
    const known = log.entries.get(key);
    log.entries.set(key, known === undefined ? entry : joinEntries(known, entry));
  }
  for (const [stage, milestone] of other.milestones) addMilestone(log.milestones, stage, milestone);
  for (const event of other.latest.values()) remember(log, event);
  log.dropped += other.dropped;
  log.revision++;
  while (log.entries.size > most) dropOldest(log);
}

function entryOf(event: TrialEvent): TimelineEntry {
  return { first: event.at, last: event.at, count: 1, repeats: 0, event };
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

function addMilestone(milestones: Map<Stage, Milestone>, stage: Stage, { first, last }: Milestone): void {
  const known = milestones.get(stage);
  milestones.set(stage, {
    first: known !== undefined && known.first <= first ? known.first : first,
    last: known !== undefined && known.last > last ? known.last : last,
  });
}

function remember({ latest }: EntryLog, event: TrialEvent): void {
  const known = latest.get(event.kind);
  if (known === undefined || event.at >= known.at) latest.set(event.kind, event);
}

function dropOldest(log: EntryLog): void {
  let oldest: readonly [string, TimelineEntry] | undefined;
  for (const one of log.entries) {
    if (oldest === undefined || one[1].last < oldest[1].last) oldest = one;
  }
  if (oldest === undefined) return;
  log.entries.delete(oldest[0]);
  log.dropped++;
}

/** The same for events that are told as one. */
function keyOf(event: TrialEvent): string {
  const parts = partsOf(event).map((part) => part ?? '-');
  return [event.kind, event.client ?? '', ...parts].join('\n');
}

function partsOf(event: TrialEvent): readonly (string | undefined)[] {
  switch (event.kind) {
    case 'fetch':
      return [event.path];
    case 'api':
      return [];
    case 'refusal':
      return problemParts(event.problem);
    case 'lookup':
      return [event.node, event.token, String(event.hasOwnToken), event.problem, event.reason];
    case 'inspection':
      return [event.service, event.node, event.problem, event.reason, String(event.hasGaps)];
    case 'heartbeat':
      return [event.node, event.callbackUrl, event.token, event.problem, event.reason];
    case 'callback':
      return [event.url, event.problem, event.reason];
    case 'preflight':
      return [event.problem.kind];
    case 'machine':
    default:
      return [event.state, event.problem];
  }
}

function problemParts(problem: Extract<TrialEvent, { kind: 'refusal' }>['problem']): readonly string[] {
  switch (problem.kind) {
    case 'tls':
      return [problem.kind, problem.reason];
    case 'plain-http':
    case 'tls-to-http':
      return [problem.kind];
    case 'path':
      return [problem.kind, problem.method, problem.path, String(problem.hasInventory)];
    case 'request':
    default:
      return [problem.kind, String(problem.status), problem.message, problem.reason ?? ''];
  }
}
