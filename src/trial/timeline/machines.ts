/**
 * Assigns events to machines. Host names, MAC addresses and node UUIDs identify a machine: events with a common identifier
 * are of the same machine. A client address does not identify a machine, because it may be that of a BMC, of a proxy, or a
 * reassigned DHCP lease. Events without an identifier therefore belong to an unidentified client, one per address. An event
 * is assigned once, when it arrives. The table is small, so all lookups are linear searches.
 */

import { parseMacAddress } from '../../core/macAddress.ts';
import { UNKNOWN_MACHINES } from '../../http/server/answer/access.ts';
import { createEntryLog, type EntryLog, mergeLog } from './stages.ts';
import type { TrialEvent } from './events.ts';

/** A host that is expected to call home. */
export interface ExpectedHost {
  /** Name in the inventory: `worker-0`. */
  readonly name: string;
  /** In lower case with colons; may be empty. */
  readonly macs: readonly string[];
}

export interface Machine {
  /** Whether its name, a MAC address or a UUID is known; otherwise it is an unidentified client with one address. */
  readonly isIdentified: boolean;
  readonly isExpected: boolean;
  readonly name: string | undefined;
  /** MAC addresses in the inventory. */
  readonly listedMacs: readonly string[];
  /** MAC addresses that the machine has sent. */
  readonly seenMacs: Set<string>;
  readonly nodes: Set<string>;
  /** Client addresses. */
  readonly clients: Set<string>;
  readonly log: EntryLog;
}

/** Mutable: events are added to it. */
export interface MachineTable {
  /** Expected machines first, then all others in the order of their first event. */
  readonly machines: Set<Machine>;
  readonly machineByListedMac: ReadonlyMap<string, Machine>;
  /** Number of events of machines that were not remembered. */
  droppedEvents: number;
}

/** Identifiers of a machine, which are unique. */
export interface Identifiers {
  readonly name: string | undefined;
  readonly macs: readonly string[];
  readonly node: string | undefined;
  /** Whether Ironic has assigned the UUID; otherwise a client may have invented it. */
  readonly isNodeVerified: boolean;
}

/** Maximum number of machines that the inventory does not list, and of client addresses without a machine. */
export const MAX_UNKNOWN_MACHINES = 1000;

/** Limits per machine; the newest values remain. */
export const MAX_MACS = 64;
const MAX_CLIENTS = 16;
const MAX_NODES = 8;

/** A table without events. The limits do not apply to expected hosts. */
export function createMachineTable(expected: readonly ExpectedHost[]): MachineTable {
  const hosts = new Map<string, Machine>();
  for (const { name, macs } of expected) {
    if (!hosts.has(name)) hosts.set(name, createMachine({ name, isExpected: true, listedMacs: macs }));
  }
  const machines = new Set(hosts.values());
  const listed = [...machines].flatMap((machine) => machine.listedMacs.map((mac) => [mac, machine] as const));
  return {
    machines,
    machineByListedMac: new Map(listed),
    droppedEvents: 0,
  };
}

/** Undefined if the machine is not remembered; then the event is counted. */
export function findMachine(table: MachineTable, event: TrialEvent): Machine | undefined {
  const identifiers = identifiersOf(event);
  const { macs, name, node, isNodeVerified } = identifiers;
  const matches = findMatches(table, identifiers);
  const isIdentified = matches.length > 0 || name !== undefined || macs.length > 0 || isNodeVerified;
  const machine = isIdentified
    ? joinMatches(table, matches, identifiers)
    : findClient(table, event.client, event.kind);
  if (machine === undefined) table.droppedEvents++;
  if (machine === undefined || !isIdentified) return machine;
  const { client } = event;
  const nodes = node === undefined ? [] : [node];
  addIdentifiers(machine, macs, nodes, client === undefined ? [] : [client]);
  return client === undefined ? machine : joinUnnamed(table, machine, client);
}

export function labelOf({ name, seenMacs, nodes, clients }: Machine): string {
  return name ?? [...seenMacs, ...nodes, ...clients][0] ?? 'unknown';
}

export function identifiersOf(event: TrialEvent): Identifiers {
  const macs = [...('macs' in event ? event.macs : []), ...('mac' in event ? [event.mac] : [])];
  const node = 'node' in event ? event.node : undefined;
  const isRefused = event.kind === 'heartbeat' && event.problem !== undefined;
  return {
    name: 'host' in event && event.host !== UNKNOWN_MACHINES ? event.host : undefined,
    // Several machines may send the same invalid MAC address.
    macs: macs.filter((text) => {
      const address = parseMacAddress(text);
      return 'mac' in address && address.mac === text;
    }),
    node,
    isNodeVerified: node !== undefined && !isRefused,
  };
}

function createMachine(known: Partial<Machine>): Machine {
  return {
    isIdentified: true,
    isExpected: false,
    name: undefined,
    listedMacs: [],
    seenMacs: new Set(),
    nodes: new Set(),
    clients: new Set(),
    log: createEntryLog(),
    ...known,
  };
}

/** Undefined if there are too many. Expected machines may each have further addresses. */
function addMachine({ machines }: MachineTable, known: Partial<Machine>): Machine | undefined {
  const machine = createMachine(known);
  const others = [...machines].filter(({ isIdentified }) => isIdentified === machine.isIdentified);
  const expected = [...machines].filter(({ isExpected }) => isExpected);
  if (others.length >= expected.length + MAX_UNKNOWN_MACHINES) return undefined;
  machines.add(machine);
  return machine;
}

/**
 * The most likely first: machines with a name, then by the number of common identifiers. A MAC address in the inventory
 * always identifies its host, even if another machine sends it.
 */
function findMatches(
  { machines, machineByListedMac }: MachineTable,
  { name, macs, node }: Identifiers,
): readonly Machine[] {
  const hosts = macs.flatMap((mac) => machineByListedMac.get(mac) ?? []);
  const unlisted = macs.filter((mac) => !machineByListedMac.has(mac));
  const shared = new Map<Machine, number>();
  for (const host of hosts) shared.set(host, (shared.get(host) ?? 0) + 1);
  for (const machine of machines) {
    if (!machine.isIdentified) continue;
    let count = shared.get(machine) ?? 0;
    if (name !== undefined && machine.name === name) count++;
    if (node !== undefined && machine.nodes.has(node)) count++;
    for (const mac of unlisted) if (machine.seenMacs.has(mac)) count++;
    if (count > 0) shared.set(machine, count);
  }
  const ranked = [...shared].toSorted(
    ([a, ofA], [b, ofB]) => Number(b.name !== undefined) - Number(a.name !== undefined) || ofB - ofA,
  );
  return ranked.map(([machine]) => machine);
}

/** Returns the first match or a new machine, and merges the matches without a name into it. */
function joinMatches(
  table: MachineTable,
  [first, ...others]: readonly Machine[],
  { name }: Identifiers,
): Machine | undefined {
  if (first === undefined) return addMachine(table, { name });
  for (const other of others) if (other.name === undefined) mergeMachine(table, first, other);
  return first;
}

/**
 * A request without an identifier belongs to the only machine with its address so far. This does not change later, so that
 * report and log agree. Shared files are fetched before a machine sends an identifier.
 */
function findClient(
  table: MachineTable,
  client: string | undefined,
  kind: TrialEvent['kind'],
): Machine | undefined {
  if (client === undefined) return undefined;
  const here = [...table.machines].filter(({ clients }) => clients.has(client));
  const [machine, ...others] = here.filter(({ isIdentified }) => isIdentified);
  if (kind !== 'fetch' && machine !== undefined && others.length === 0) return machine;
  const known = here.find(({ isIdentified }) => !isIdentified);
  return known ?? addMachine(table, { isIdentified: false, clients: new Set([client]) });
}

function addIdentifiers(
  machine: Machine,
  macs: Iterable<string>,
  nodes: Iterable<string>,
  clients: Iterable<string>,
): void {
  for (const mac of macs) addLast(machine.seenMacs, mac, MAX_MACS);
  for (const node of nodes) addLast(machine.nodes, node, MAX_NODES);
  for (const client of clients) addLast(machine.clients, client, MAX_CLIENTS);
}

/**
 * Merges a host without a MAC address in the inventory that has only fetched files, and a machine without a name, if no other
 * machine uses their address. There is no other way to see that such a host has called home.
 * @returns the merged machine
 */
function joinUnnamed(table: MachineTable, machine: Machine, client: string): Machine {
  if (machine.name !== undefined && hasHardware(machine)) return machine;
  const machines = [...table.machines].filter((one) => one.isIdentified && one.clients.has(client));
  const host = machines.find(({ name }) => name !== undefined);
  const other = machines.find(({ name }) => name === undefined);
  if (host === undefined || other === undefined || machines.length > 2 || hasHardware(host)) return machine;
  mergeMachine(table, host, other);
  return host;
}

function hasHardware({ listedMacs, seenMacs, nodes }: Machine): boolean {
  return listedMacs.length + seenMacs.size + nodes.size > 0;
}

/** Merges `other` into `machine`. */
function mergeMachine(table: MachineTable, machine: Machine, other: Machine): void {
  table.machines.delete(other);
  mergeLog(machine.log, other.log);
  addIdentifiers(machine, other.seenMacs, other.nodes, other.clients);
}

/** Adds the item as the last one, and removes the first ones above the limit. */
function addLast(set: Set<string>, item: string, most: number): void {
  set.delete(item);
  set.add(item);
  for (const old of set) {
    if (set.size <= most) return;
    set.delete(old);
  }
}
