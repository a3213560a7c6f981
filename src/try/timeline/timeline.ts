/**
 * What was seen of each machine, from events of several sources. Bounded, whatever clients send: so many machines, and so
 * many entries of each; what is left out is counted.
 */

import type { BootWay } from '../../hosts/artifacts/hostMemory.ts';
import {
  addEvent,
  bootWayOf,
  createEntryLog,
  type EntryLog,
  isFurther,
  mergeLog,
  type Milestone,
  type Stage,
  type TimelineEntry,
} from './stages.ts';
import { mapTexts, type TrialEvent } from './events.ts';
import {
  createMachineTable,
  type ExpectedHost,
  findMachine,
  labelOf,
  type Machine,
  MAX_MACS,
} from './machines.ts';

/** How far a machine has come. */
export interface MachineProgress {
  /** In the inventory; undefined for a machine that is not listed there. */
  readonly name: string | undefined;
  /** For people: its name, or else a MAC address, the UUID of its node, or the address it came from. */
  readonly label: string;
  readonly milestones: ReadonlyMap<Stage, Milestone>;
}

/** What was seen of one machine. */
export interface HostTimeline extends MachineProgress {
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
  /** In the order in which they began. */
  readonly entries: readonly TimelineEntry[];
  /** Entries that had to make room for newer ones. */
  readonly dropped: number;
  readonly agentVersion: string | undefined;
  readonly callback: CallbackState | undefined;
  /** One line: vendor, processors, memory, disks. */
  readonly inventory: string | undefined;
}

interface CallbackState {
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
  /** Whether there is no room for its client, or for all that its client did. */
  readonly isFull: boolean;
  readonly entry: TimelineEntry;
  /** What it was before; undefined where nothing of its kind came. */
  readonly previous: TimelineEntry | undefined;
}

export interface Timeline {
  add(event: TrialEvent): TimelineStep;
  /** Machines that have a name, a MAC address or a UUID, in the order of `hosts`. Takes some microseconds. */
  machines(): readonly MachineProgress[];
  /** Those that are expected first, in their order; then others in the order in which they came. */
  hosts(): readonly HostTimeline[];
  /** Events of clients that are in no timeline, as there were too many. */
  untracked(): number;
}

/** Nothing seen so far. */
export function createTimeline(expected: readonly ExpectedHost[]): Timeline {
  const table = createMachineTable(expected);
  return {
    add: (whole) => {
      const event = boundEvent(whole);
      const machine = findMachine(table, event);
      const log = machine?.log ?? createEntryLog();
      return {
        event,
        label: machine === undefined ? (event.client ?? 'unknown') : labelOf(machine),
        isExpected: machine?.isExpected ?? false,
        ...addEvent(log, event),
        isFull: machine === undefined || log.dropped > 0,
      };
    },
    machines: () => identified(table.machines).map(progressOf),
    hosts: () => describeHosts([...table.machines]),
    untracked: () => table.untracked,
  };
}

/** Characters of a text that are remembered of what others send. */
const LONGEST_TEXT = 300;

function boundEvent(event: TrialEvent): TrialEvent {
  const bound = mapTexts(event, boundText);
  return 'macs' in bound ? { ...bound, macs: bound.macs.slice(-MAX_MACS) } : bound;
}

/** A short text, without the credentials of a URL and the query of a path. */
function boundText(text: string, name: string): string {
  const path = name === 'path' ? text.replace(/[?#].*/s, '') : text;
  const plain = path.replace(/^((?:[a-z][a-z0-9+.-]*:)?\/\/)[^/]*@/i, '$1');
  return plain.length > LONGEST_TEXT ? `${plain.slice(0, LONGEST_TEXT)}…` : plain;
}

function identified(machines: Iterable<Machine>): readonly Machine[] {
  return [...machines].filter(({ isIdentified }) => isIdentified);
}

function progressOf(machine: Machine): MachineProgress {
  return { name: machine.name, label: labelOf(machine), milestones: machine.log.milestones };
}

type MachinesByAddress = ReadonlyMap<string, readonly Machine[]>;

function byAddress(machines: Iterable<Machine>): MachinesByAddress {
  const found = new Map<string, Machine[]>();
  for (const machine of machines) {
    for (const client of machine.clients) {
      const others = found.get(client);
      if (others === undefined) found.set(client, [machine]);
      else others.push(machine);
    }
  }
  return found;
}

/** An unidentified client is shown as part of the machine that alone came from its address, if there is one. */
function describeHosts(machines: readonly Machine[]): readonly HostTimeline[] {
  const machinesByAddress = byAddress(identified(machines));
  const clientsByAddress = byAddress(machines.filter(({ isIdentified }) => !isIdentified));
  return machines.flatMap((machine) => {
    const own = [...machine.clients].filter((client) => machinesByAddress.get(client)?.length === 1);
    // It stands for all that its address sent without identifying a machine, so it shares that with nobody.
    if (!machine.isIdentified) return own.length > 0 ? [] : [describeMachine(machine, [], new Map())];
    const parts = own.flatMap((client) => clientsByAddress.get(client) ?? []);
    return [describeMachine(machine, parts, machinesByAddress)];
  });
}

function describeMachine(
  machine: Machine,
  parts: readonly Machine[],
  machinesByAddress: MachinesByAddress,
): HostTimeline {
  const { name, isExpected, listedMacs } = machine;
  const log = createEntryLog();
  for (const part of [machine, ...parts]) mergeLog(log, part.log);
  const seenMacs = [...machine.seenMacs];
  const clients = [...machine.clients];
  const sharedClients = clients.filter((client) => (machinesByAddress.get(client)?.length ?? 0) > 1);
  const entries = [...log.entries.values()].toSorted((a, b) => a.first.getTime() - b.first.getTime());
  return {
    name,
    label: labelOf(machine),
    isExpected,
    macs: [...new Set([...listedMacs, ...seenMacs])],
    listedMacs,
    seenMacs,
    clients,
    sharedClients,
    strangerMacs: strangerMacs(sharedClients, machinesByAddress),
    nodes: [...machine.nodes],
    boot: bootOf(entries),
    stage: furthestOf(log),
    milestones: log.milestones,
    entries,
    dropped: log.dropped,
    ...agentOf(entries),
  };
}

/** That are told; behind one address there may be a thousand. */
const mostStrangers = 4;

function strangerMacs(clients: readonly string[], machinesByAddress: MachinesByAddress): readonly string[] {
  const macs = new Set<string>();
  for (const client of clients) {
    for (const { name, seenMacs } of machinesByAddress.get(client) ?? []) {
      const [mac] = seenMacs;
      if (name === undefined && mac !== undefined) macs.add(mac);
      if (macs.size === mostStrangers) return [...macs];
    }
  }
  return [...macs];
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

function agentOf(
  entries: readonly TimelineEntry[],
): Pick<HostTimeline, 'agentVersion' | 'callback' | 'inventory'> {
  const events = entries.toSorted((a, b) => a.last.getTime() - b.last.getTime()).map(({ event }) => event);
  const heartbeat = events.findLast((event) => event.kind === 'heartbeat');
  const callback = events.findLast((event) => event.kind === 'callback');
  const url = callback?.url ?? heartbeat?.callbackUrl;
  return {
    agentVersion: heartbeat?.agentVersion,
    callback:
      url === undefined
        ? undefined
        : {
            url,
            isAnswering: callback && callback.problem === undefined,
            problem: callback?.problem,
          },
    inventory: events.findLast((event) => event.kind === 'inspection')?.summary,
  };
}
