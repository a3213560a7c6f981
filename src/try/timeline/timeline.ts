/**
 * What was seen of each machine, from events of several sources. Bounded, whatever callers send: so many machines, MAC
 * addresses and entries of each, the last ones stay, and what is forgotten is counted.
 */

import type { BootWay } from '../../hosts/artifacts/hostMemory.ts';
import {
  absorbLog,
  addEvent,
  createEntryLog,
  type EntryLog,
  type Milestone,
  type TimelineEntry,
} from './entries.ts';
import type { TrialEvent } from './events.ts';
import { groupMachines, type MachineGroup } from './groups.ts';
import {
  createMachines,
  type ExpectedHost,
  findMachine,
  noteNewEntry,
  type Machine,
  type TimelineLimits,
  type Visitor,
} from './machines.ts';
import { shortEvent } from './shortEvent.ts';
import { bootWayOf, isFurther, type Stage } from './stages.ts';

export type { ExpectedHost } from './machines.ts';

/** What was seen of one machine. */
export interface HostTimeline {
  /** In the inventory; undefined of a stranger. */
  readonly name: string | undefined;
  /** For people: its name, or else a MAC address, the UUID of its node, or the address it came from. */
  readonly label: string;
  readonly isExpected: boolean;
  /** By the inventory, then what the machine itself says that it has. */
  readonly macs: readonly string[];
  /** By the inventory. */
  readonly listedMacs: readonly string[];
  /** By itself. */
  readonly seenMacs: readonly string[];
  /** Addresses that it came from, that of its BMC among them; the one that it came from last at the end. */
  readonly clients: readonly string[];
  /** Those of them from which other machines came, too: what does not say whose it is may be theirs. */
  readonly sharedClients: readonly string[];
  /** MAC addresses of machines that no inventory lists and that came from its addresses. */
  readonly strangerMacs: readonly string[];
  /** UUIDs, the one that was seen last at the end. */
  readonly nodes: readonly string[];
  /** As far as its fetches tell. */
  readonly boot: BootWay | undefined;
  /** The furthest that it has reached. */
  readonly stage: Stage;
  readonly milestones: ReadonlyMap<Stage, Milestone>;
  /** In the order in which they began. */
  readonly entries: readonly TimelineEntry[];
  /** Entries that had to make place for newer ones. */
  readonly dropped: number;
  readonly agentVersion: string | undefined;
  readonly callback: CallbackState | undefined;
  /** One line: vendor, processors, memory, disks. */
  readonly inventory: string | undefined;
}

export interface CallbackState {
  readonly url: string;
  /** Whether the agent answered there; undefined where it was not asked yet. */
  readonly isAnswering: boolean | undefined;
  /** Why it did not, or was not asked. */
  readonly problem: string | undefined;
}

/** What an event has added. */
export interface TimelineStep {
  readonly event: TrialEvent;
  /** Whose it is, as far as is known by now: a name, a MAC address, an address. */
  readonly label: string;
  readonly isExpected: boolean;
  /** Whether it has done so many different things that the oldest are forgotten. */
  readonly isFull: boolean;
  readonly entry: TimelineEntry;
  /** What it was before; undefined where nothing of its kind came. */
  readonly previous: TimelineEntry | undefined;
}

export interface Timeline {
  add(event: TrialEvent): TimelineStep;
  /**
   * Those that are expected first, in their order; then strangers in the order in which they came. It is put together anew
   * after each event, which takes about a millisecond for each thousand hosts.
   */
  hosts(): readonly HostTimeline[];
  /** How many strangers were forgotten for younger ones. */
  dropped(): number;
}

/** An entry takes about a kilobyte. */
export const usualLimits: TimelineLimits = {
  hosts: 10_000,
  macs: 64,
  entries: 200,
  entriesOfOthers: 100_000,
};
/** Of very many expected hosts each has fewer, but so many. */
const entriesOfExpected = { all: 200_000, each: 50 };

/** Nothing seen so far. */
export function createTimeline(
  expected: readonly ExpectedHost[],
  given: TimelineLimits = usualLimits,
): Timeline {
  const limits = limitsFor(expected.length, given);
  const machines = createMachines(expected, limits);
  let hosts: readonly HostTimeline[] | undefined;
  // Of many hosts few change from one look to the next.
  let described = new Map<string, HostTimeline>();
  return {
    add: (whole) => {
      hosts = undefined;
      const event = shortEvent(whole, limits.macs);
      const owner = findMachine(machines, event);
      const log = owner?.log ?? createEntryLog();
      const added = addEvent(log, event, limits.entries);
      const isExpected = owner !== undefined && 'name' in owner && owner.isExpected;
      const step = { event, label: labelOf(owner), isExpected, isFull: log.dropped > 0, ...added };
      if (added.previous === undefined) noteNewEntry(machines);
      return step;
    },
    hosts: () => {
      if (hosts !== undefined) return hosts;
      const known = described;
      described = new Map();
      hosts = groupMachines(machines).map((group) => {
        const signature = signatureOf(group);
        const host = known.get(signature) ?? describeGroup(group, limits.entries);
        described.set(signature, host);
        return host;
      });
      return hosts;
    },
    dropped: () => machines.dropped,
  };
}

function limitsFor(expected: number, limits: TimelineLimits): TimelineLimits {
  const share = Math.max(entriesOfExpected.each, Math.floor(entriesOfExpected.all / Math.max(1, expected)));
  return { ...limits, entries: Math.min(limits.entries, share) };
}

function labelOf(owner: Machine | Visitor | undefined): string {
  if (owner === undefined) return 'unknown';
  return 'name' in owner ? machineLabel(owner) : owner.client;
}

function machineLabel({ name, seenMacs, nodes, clients }: Machine): string {
  return name ?? firstOf(seenMacs) ?? firstOf(nodes) ?? firstOf(clients) ?? 'unknown';
}

/** Another one for whatever would be described in another way. */
function signatureOf({ machine, visitors, sharedClients, strangerMacs }: MachineGroup): string {
  const logs = membersOf({ machine, visitors }).map(({ id, log }) => `${id}.${log.revision}`);
  return [...logs, ...sharedClients, ...strangerMacs].join(' ');
}

function membersOf({ machine, visitors }: Pick<MachineGroup, 'machine' | 'visitors'>): (Machine | Visitor)[] {
  return machine === undefined ? [...visitors] : [machine, ...visitors];
}

function describeGroup(group: MachineGroup, mostEntries: number): HostTimeline {
  const { machine: main, visitors, sharedClients, strangerMacs } = group;
  const log = createEntryLog();
  for (const member of membersOf(group)) absorbLog(log, member.log, mostEntries);
  const listedMacs = main?.listedMacs ?? [];
  const seenMacs = [...(main?.seenMacs ?? [])];
  const clients = [...(main?.clients ?? []), ...visitors.map(({ client }) => client)];
  const entries = [...log.entries.values()].toSorted((a, b) => a.first.getTime() - b.first.getTime());
  return {
    name: main?.name,
    label: main === undefined ? (visitors[0]?.client ?? 'unknown') : machineLabel(main),
    isExpected: main?.isExpected ?? false,
    macs: [...new Set([...listedMacs, ...seenMacs])],
    listedMacs,
    seenMacs,
    clients: [...new Set(clients)],
    sharedClients,
    strangerMacs,
    nodes: [...(main?.nodes ?? [])],
    boot: bootOf(entries),
    stage: furthestOf(log),
    milestones: log.milestones,
    entries,
    dropped: log.dropped,
    ...agentOf(log),
  };
}

function bootOf(entries: readonly TimelineEntry[]): BootWay | undefined {
  const ways = entries.flatMap(({ event }) =>
    event.kind === 'fetch' ? (bootWayOf(event.artifact) ?? []) : [],
  );
  return ways.at(-1);
}

function furthestOf({ milestones }: EntryLog): Stage {
  let furthest: Stage = 'expected';
  for (const stage of milestones.keys()) if (isFurther(stage, furthest)) furthest = stage;
  return furthest;
}

function agentOf({ latest }: EntryLog): Pick<HostTimeline, 'agentVersion' | 'callback' | 'inventory'> {
  const heartbeat = latest.get('heartbeat');
  const callback = latest.get('callback');
  const inspection = latest.get('inspection');
  return {
    agentVersion: heartbeat?.kind === 'heartbeat' ? heartbeat.agentVersion : undefined,
    callback: callbackState(
      heartbeat?.kind === 'heartbeat' ? heartbeat.callbackUrl : undefined,
      callback?.kind === 'callback' ? callback : undefined,
    ),
    inventory: inspection?.kind === 'inspection' ? inspection.summary : undefined,
  };
}

function callbackState(
  told: string | undefined,
  asked: { readonly url: string; readonly problem: string | undefined } | undefined,
): CallbackState | undefined {
  if (asked !== undefined) {
    return { url: asked.url, isAnswering: asked.problem === undefined, problem: asked.problem };
  }
  return told === undefined ? undefined : { url: told, isAnswering: undefined, problem: undefined };
}

function firstOf<T>(items: Iterable<T>): T | undefined {
  for (const item of items) return item;
  return undefined;
}
