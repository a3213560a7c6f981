/**
 * The timelines of all machines, from events of several sources. The number of machines and of entries per machine is
 * limited, so that clients cannot exhaust the memory. Dropped events are counted.
 */

import { artifacts } from '../../core/artifacts.ts';
import { groupBy } from '../../core/lists.ts';
import { addEvent, byLastEvent, createEntryLog, mergeLog, type TimelineEntry } from './stages.ts';
import { stages } from './stage.ts';
import { type EventOf, mapTexts, type TrialEvent } from './events.ts';
import { identifiersOf, labelOf, knownMacs, type Machine, type Machines, MAX_MACS } from './machines.ts';

export type HostTimeline = Readonly<ReturnType<typeof describeMachine>>;

export function entriesOf<K extends TrialEvent['kind']>(
  host: HostTimeline,
  kind: K,
): readonly (TimelineEntry & { readonly event: EventOf<K> })[] {
  return host.entries.filter(
    (entry): entry is TimelineEntry & { readonly event: EventOf<K> } => entry.event.kind === kind,
  );
}

/** Whether it sent any request to Ironic, also a refused one. Then the live system and the agent run. */
export function hasCalledIronic(host: HostTimeline): boolean {
  return callsOf(host).length > 0;
}

/** Requests to Ironic and to the agent, also refused ones. */
export function callsOf({ entries }: HostTimeline): readonly TimelineEntry[] {
  return entries.filter(
    ({ event }) => !noCalls.has(event.kind) && !(event.kind === 'refusal' && event.problem.kind === 'file'),
  );
}

const noCalls = new Set<TrialEvent['kind']>(['fetch', 'machine', 'bmc', 'console']);

export type Timeline = Readonly<ReturnType<typeof createTimeline>>;
export type TimelineStep = Readonly<ReturnType<Timeline['add']>>;

export function createTimeline(machines: Machines) {
  let droppedEvents = 0;
  return {
    add: (received: TrialEvent) => {
      const limited = mapTexts(received, limitText);
      const event = 'macs' in limited ? { ...limited, macs: limited.macs.slice(-MAX_MACS) } : limited;
      const machine = machines.find(identifiersOf(event), event.client, event.kind === 'fetch');
      if (machine === undefined) droppedEvents++;
      const log = machine?.log ?? createEntryLog();
      const previous = addEvent(log, event);
      return {
        event,
        /** The machine, as known so far: a name, a MAC address, or a client address. */
        label: machine === undefined ? (event.client ?? 'unknown') : labelOf(machine),
        /** The entry before the event; undefined for the first event of its kind. */
        previous,
        /** Whether the client, or the number of its entries, is above the limit. */
        isFull: machine === undefined || log.dropped > 0,
      };
    },
    /** Expected machines first, then all others in the order of their first event. */
    hosts: () => describeHosts([...machines.all]),
    /** Number of events of clients above the limit, which are in no timeline. */
    droppedEvents: (): number => droppedEvents,
  };
}

/** Maximum number of characters of a text from a client. */
const LONGEST_TEXT = 300;

/** Shortens a text, and removes credentials from URLs and queries from paths. */
function limitText(text: string, name: string): string {
  const path = name === 'path' ? text.replace(/[?#].*/s, '') : text;
  const plain = path.replace(/^((?:[a-z][a-z0-9+.-]*:)?\/\/)[^/]*@/i, '$1');
  return plain.length > LONGEST_TEXT ? `${plain.slice(0, LONGEST_TEXT)}…` : plain;
}

type MachinesByAddress = ReadonlyMap<string, readonly Machine[]>;

function byAddress(machines: readonly Machine[]): MachinesByAddress {
  const pairs = machines.flatMap((machine) => [...machine.clients].map((client) => ({ client, machine })));
  return new Map(
    Array.from(
      groupBy(pairs, ({ client }) => client),
      ([client, group]) => [client, group.map(({ machine }) => machine)],
    ),
  );
}

/** An unidentified client is shown as part of the only machine with its address, if there is one. */
function describeHosts(machines: readonly Machine[]): readonly HostTimeline[] {
  const machinesByAddress = byAddress(machines.filter(({ isIdentified }) => isIdentified));
  const clientsByAddress = byAddress(machines.filter(({ isIdentified }) => !isIdentified));
  return machines.flatMap((machine) => {
    const own = [...machine.clients].filter((client) => machinesByAddress.get(client)?.length === 1);
    // An unidentified client contains all events of its address without an identifier, so it never shares the address.
    if (!machine.isIdentified) return own.length > 0 ? [] : [describeMachine(machine, [], new Map())];
    const parts = own.flatMap((client) => clientsByAddress.get(client) ?? []);
    return [describeMachine(machine, parts, machinesByAddress)];
  });
}

function describeMachine(machine: Machine, parts: readonly Machine[], machinesByAddress: MachinesByAddress) {
  const { name, isExpected, isIdentified, listedMacs } = machine;
  const log = createEntryLog();
  for (const part of [machine, ...parts]) mergeLog(log, part.log);
  const seenMacs = [...machine.seenMacs];
  const clients = [...machine.clients];
  const sharedClients = clients.filter((client) => (machinesByAddress.get(client)?.length ?? 0) > 1);
  const entries = [...log.entries.values()].toSorted((a, b) => a.first.getTime() - b.first.getTime());
  const sorted = entries.toSorted(byLastEvent);
  const events = sorted.map(({ event }) => event);
  const heartbeat = events.findLast((event) => event.kind === 'heartbeat');
  const callback = events.findLast((event) => event.kind === 'callback');
  const inspection = events.findLast((event) => event.kind === 'inspection');
  const url = callback?.url ?? (heartbeat?.callbackUrl || undefined); // agents without an API send an empty one
  const isContacted = callback !== undefined && callback.reason !== 'callback-address';
  // Undefined if it was not contacted.
  const hasAnswered = isContacted ? callback.problem === undefined : undefined;
  return {
    /** Name in the inventory; undefined for other machines. */
    name,
    /** For display: its name, a MAC address, the UUID of its node, or its client address. */
    label: labelOf(machine),
    isExpected,
    isIdentified,
    /** MAC addresses of the inventory, then those that the machine has sent. */
    macs: knownMacs(machine),
    listedMacs,
    seenMacs,
    /** Client addresses, including that of its BMC; the latest one is the last. */
    clients,
    /** Client addresses that other machines also use. Events from them without an identifier may be of another machine. */
    sharedClients,
    /** Whether a machine that is not in the inventory has sent MAC addresses from the same client address. */
    isNearUnknown: sharedClients
      .flatMap((client) => machinesByAddress.get(client) ?? [])
      .some((other) => other.name === undefined && other.seenMacs.size > 0),
    /** UUIDs; the latest one is the last. */
    nodes: [...machine.nodes],
    /** Boot method, derived from the fetched files. */
    boot: entries
      .map(({ event }) => (event.kind === 'fetch' ? artifacts[event.artifact].way : undefined))
      .findLast((way) => way !== undefined),
    stage: stages.findLast((stage) => log.milestones.has(stage)) ?? 'none',
    milestones: log.milestones,
    /** In the order of their first event. */
    entries,
    /** The one with the latest event. */
    last: sorted.at(-1),
    /** Number of entries that newer ones have replaced. */
    dropped: log.dropped,
    agentVersion: heartbeat?.agentVersion,
    callback: url === undefined ? undefined : { url, hasAnswered, problem: callback?.problem },
    /** What the agent reported about its steps; undefined if it was not asked. */
    steps: events.findLast((event) => event.kind === 'steps'),
    /** One line: vendor, processors, memory, disks. */
    inventory: inspection?.summary,
    /** What the host expects otherwise than its agent reports, as clauses. */
    differences: inspection?.differences ?? [],
  };
}
