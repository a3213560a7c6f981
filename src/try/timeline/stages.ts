/**
 * What one machine, or one address, was seen to do, and how far it has come. Events of the same kind are one entry, and
 * there is a bound to them. What the image service sees of the way to the agent depends on what the machine boots from;
 * from the first request to Ironic on, the way is the agent's own and the same for all: with an inspection it sends the
 * inventory, before it asks for the versions of the API and which node it is, and it heartbeats when it knows that.
 */

import type { BootWay } from '../../hosts/artifacts/hostMemory.ts';
import type { Artifact } from '../../serve/answer/resource.ts';
import type { FetchEvent, TrialEvent } from './events.ts';

/**
 * In their order; no machine passes all of them. The config and the root filesystem are fetched by different services at
 * about the same time.
 */
export const stages = [
  'expected',
  'power',
  'script',
  'image',
  'kernel',
  'initramfs',
  'config',
  'rootfs',
  'agent image',
  'inspection',
  'api',
  'lookup',
  'heartbeat',
  'callback',
] as const;

/**
 * `expected`: nothing was seen of it. `power`: the emulated machine has started. `image`: its BMC, or its firmware, reads
 * the live ISO. `agent image`: it fetches the archive with the agent's container image, where no registry has it. `api`:
 * the versions of Ironic's API were asked for. `callback`: the agent answered when it was asked back.
 */
export type Stage = (typeof stages)[number];

export function isFurther(stage: Stage, other: Stage): boolean {
  return stages.indexOf(stage) > stages.indexOf(other);
}

/** Which stage an event shows the machine to have reached; undefined where it shows none, as a refusal. */
function stageOf(event: TrialEvent): Stage | undefined {
  switch (event.kind) {
    case 'machine':
      return event.state === 'started' || event.state === 'rebooted' ? 'power' : undefined;
    case 'fetch':
      return artifactStages[event.artifact];
    case 'api':
      return 'api';
    case 'inspection':
    case 'lookup':
      return event.node === undefined ? undefined : event.kind;
    case 'heartbeat':
    case 'callback':
      return event.problem === undefined ? event.kind : undefined;
    case 'refusal':
    default:
    case 'preflight':
      return undefined;
  }
}

/** What a machine boots from that fetches this; undefined where several ways have it. */
export function bootWayOf(artifact: Artifact): BootWay | undefined {
  return artifactWays[artifact];
}

const artifactStages: Readonly<Record<Artifact, Stage>> = {
  script: 'script',
  iso: 'image',
  'minimal-iso': 'image',
  kernel: 'kernel',
  initramfs: 'initramfs',
  archive: 'config',
  ign: 'config',
  rootfs: 'rootfs',
  agent: 'agent image',
};

const artifactWays: Readonly<Partial<Record<Artifact, BootWay>>> = {
  iso: 'iso',
  'minimal-iso': 'minimal-iso',
  script: 'network',
  kernel: 'network',
  initramfs: 'network',
  archive: 'network',
};

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
    outcome === 'failed' || outcome === 'aborted' || (outcome === 'client disconnected' && !artifact.endsWith('iso'))
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
