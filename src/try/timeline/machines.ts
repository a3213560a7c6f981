/**
 * Which machine an event is of. Names of the inventory, MAC addresses and UUIDs of nodes identify a machine: what shares
 * one of them is one machine. An address that requests come from says less, as a BMC, a proxy or a new lease may be behind
 * it; so requests that identify no machine stay apart, as one unidentified client for each address. Which machine an event
 * is of is decided once, when it arrives. All is looked up by going through the one table, which is small.
 */

import { parseMacAddress } from '../../core/macAddress.ts';
import { MAX_UNKNOWN_MACHINES } from '../ironic/nodes.ts';
import { unknownMachines } from '../../serve/answer/access.ts';
import { createEntryLog, type EntryLog, mergeLog } from './stages.ts';
import type { TrialEvent } from './events.ts';

/** A host that is to call home. */
export interface ExpectedHost {
  /** In the inventory: `worker-0`. */
  readonly name: string;
  /** In lower case with colons; may be none. */
  readonly macs: readonly string[];
}

export interface Machine {
  /** Whether its name, a MAC address or a UUID is known; otherwise it is an unidentified client, with one address. */
  readonly isIdentified: boolean;
  readonly isExpected: boolean;
  readonly name: string | undefined;
  /** By the inventory. */
  readonly listedMacs: readonly string[];
  /** What the machine itself says that it has. */
  readonly seenMacs: Set<string>;
  readonly nodes: Set<string>;
  /** Addresses. */
  readonly clients: Set<string>;
  readonly log: EntryLog;
}

/** Changes as events are added. */
export interface MachineTable {
  /** Those that are expected, then others in the order in which they were first seen. */
  readonly machines: Set<Machine>;
  readonly machineByListedMac: ReadonlyMap<string, Machine>;
  readonly mostUnidentified: number;
  /** Events of clients for which the table had no room. */
  untracked: number;
}

/** What identifies a machine: names and numbers that no two machines share. */
export interface Identifiers {
  readonly name: string | undefined;
  readonly macs: readonly string[];
  readonly node: string | undefined;
  /** Whether the UUID comes from Ironic, and was not made up by a client. */
  readonly isNodeSure: boolean;
}

/** Bounds of one machine; the last ones stay. */
export const MAX_MACS = 64;
const MAX_CLIENTS = 16;
const MAX_NODES = 8;

/** Nothing was seen so far. Hosts that are expected always have room. */
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
    mostUnidentified: machines.size + MAX_UNKNOWN_MACHINES,
    untracked: 0,
  };
}

/** Undefined where there is no room for another machine or client; the event is counted then. */
export function findMachine(table: MachineTable, event: TrialEvent): Machine | undefined {
  const identifiers = identifiersOf(event);
  const { macs, name, isNodeSure } = identifiers;
  const matches = findMatches(table, identifiers);
  const isIdentified = matches.length > 0 || name !== undefined || macs.length > 0 || isNodeSure;
  const machine = isIdentified
    ? joinMatches(table, matches, identifiers)
    : findClient(table, event.client, event.kind);
  if (machine === undefined) table.untracked++;
  if (machine === undefined || !isIdentified) return machine;
  learn(machine, identifiers, event.client);
  return event.client === undefined ? machine : joinNameless(table, machine, event.client);
}

export function labelOf({ name, seenMacs, nodes, clients }: Machine): string {
  return name ?? [...seenMacs, ...nodes, ...clients][0] ?? 'unknown';
}

export function identifiersOf(event: TrialEvent): Identifiers {
  const none: Identifiers = { name: undefined, macs: [], node: undefined, isNodeSure: false };
  switch (event.kind) {
    case 'fetch':
      return { ...none, name: event.host === unknownMachines ? undefined : event.host };
    case 'lookup':
    case 'inspection':
      return {
        ...none,
        macs: event.macs.filter(isMac),
        node: event.node,
        isNodeSure: event.node !== undefined,
      };
    case 'heartbeat':
      return { ...none, node: event.node, isNodeSure: event.problem === undefined };
    case 'callback':
      return { ...none, node: event.node, isNodeSure: true };
    case 'machine':
    case 'preflight':
      return { ...none, macs: [event.mac].filter(isMac) };
    case 'api':
    default:
    case 'refusal':
      return none;
  }
}

/** Any other text may be sent by several machines. */
function isMac(text: string): boolean {
  const address = parseMacAddress(text);
  return 'mac' in address && address.mac === text;
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

function addMachine(table: MachineTable, known: Partial<Machine>): Machine | undefined {
  const machine = createMachine(known);
  const { isIdentified } = machine;
  const others = [...table.machines].filter((one) => !one.isExpected && one.isIdentified === isIdentified);
  if (others.length >= (isIdentified ? MAX_UNKNOWN_MACHINES : table.mostUnidentified)) return undefined;
  table.machines.add(machine);
  return machine;
}

/**
 * The likeliest first: one with a name before one without, then that with the most of the identifiers. A MAC address that
 * the inventory lists is that of its host, whoever else names it.
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

/** The first of the matches, or a new machine; other matches that have no name become part of it. */
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
 * A request that identifies no machine is of the one that alone came from its address so far. That is for good, so that the
 * report says what the log has said. Files that all hosts share are fetched before a machine identifies itself.
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

function learn(machine: Machine, { macs, node }: Identifiers, client: string | undefined): void {
  for (const mac of macs) addLast(machine.seenMacs, mac, MAX_MACS);
  if (node !== undefined) addLast(machine.nodes, node, MAX_NODES);
  if (client !== undefined) addLast(machine.clients, client, MAX_CLIENTS);
}

/**
 * A host of which the inventory has no MAC address, and of which only fetches were seen, and a machine without a name are
 * one, where nobody else came from their address: there is no other way to see that such a host is home.
 * @returns the one that the machine is part of now
 */
function joinNameless(table: MachineTable, machine: Machine, client: string): Machine {
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

/** `other` becomes part of `machine`. */
function mergeMachine(table: MachineTable, machine: Machine, other: Machine): void {
  table.machines.delete(other);
  mergeLog(machine.log, other.log);
  for (const mac of other.seenMacs) addLast(machine.seenMacs, mac, MAX_MACS);
  for (const node of other.nodes) addLast(machine.nodes, node, MAX_NODES);
  for (const client of other.clients) addLast(machine.clients, client, MAX_CLIENTS);
}

/** As the last one; the first ones make room. */
function addLast(set: Set<string>, item: string, most: number): void {
  set.delete(item);
  set.add(item);
  for (const old of set) {
    if (set.size <= most) return;
    set.delete(old);
  }
}
