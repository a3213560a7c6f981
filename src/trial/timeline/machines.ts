/**
 * The machines of a trial, for the mock Ironic and for the timelines: expected hosts, and all others that call, as with Ironic's
 * discovery. Host names, MAC addresses and node UUIDs identify a machine. A client address does not, because it may be that of a
 * BMC, of a proxy, or a reassigned DHCP lease. What has no identifier therefore belongs to an unidentified client, one per
 * address. The table is small, so all lookups are linear searches.
 */

import { UNKNOWN_MACHINES } from '../../http/server/answer/access.ts';
import { createEntryLog, type EntryLog } from './stages.ts';
import type { TrialEvent } from './events.ts';

/** A host that is expected to call home. */
export interface ExpectedHost {
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
  readonly clients: Set<string>;
  readonly log: EntryLog;
}

/** The machines of a trial. Mutable: requests and events of machines are added to it. */
export type Machines = Readonly<ReturnType<typeof createMachines>>;

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

/** The limits do not apply to expected hosts. */
export function createMachines(expected: readonly ExpectedHost[], mostUnknown = MAX_UNKNOWN_MACHINES) {
  const hosts = new Map<string, Machine>();
  for (const { name, macs } of expected) {
    if (!hosts.has(name)) hosts.set(name, createMachine({ name, isExpected: true, listedMacs: macs }));
  }
  /** Expected machines first, then all others in the order in which they were seen first. */
  const all = new Set(hosts.values());
  const hostByMac = new Map([...all].flatMap((host) => host.listedMacs.map((mac) => [mac, host] as const)));
  /** The hosts of the inventory with these MAC addresses, even if other machines have sent them. */
  const hostsWith = (macs: readonly string[]): ReadonlySet<Machine> =>
    new Set(macs.flatMap((mac) => hostByMac.get(mac) ?? []));
  const add = (known: Partial<Machine>): Machine | undefined => {
    const machine = createMachine(known);
    const others = [...all].filter(({ isIdentified }) => isIdentified === machine.isIdentified);
    // Expected machines may each have further addresses.
    if (others.length >= hosts.size + mostUnknown) return undefined;
    all.add(machine);
    return machine;
  };
  const atAddress = (client: string | undefined): readonly Machine[] =>
    client === undefined ? [] : [...all].filter(({ clients }) => clients.has(client));

  /** A MAC address in the inventory always identifies its host, even if another machine sends it. */
  const findIdentified = ({ macs, name, node }: Identifiers): Machine | undefined => {
    const identified = [...all].filter(({ isIdentified }) => isIdentified);
    return (
      (name === undefined ? undefined : identified.find((one) => one.name === name)) ??
      [...hostsWith(macs)][0] ??
      identified.find(({ nodes }) => node !== undefined && nodes.has(node)) ??
      identified.find(({ seenMacs }) => macs.some((mac) => seenMacs.has(mac)))
    );
  };

  /**
   * A host without a MAC address in the inventory has only fetched files when its agent calls. There is no other way to see that it
   * has called home.
   */
  const findFetcher = (client: string | undefined): Machine | undefined => {
    const [machine, ...others] = atAddress(client).filter(({ isIdentified }) => isIdentified);
    const isHost = machine?.name !== undefined && knownMacs(machine).length === 0;
    return isHost && others.length === 0 ? machine : undefined;
  };

  /** What has no identifier belongs to the only machine with its address so far. This does not change later. */
  const findClient = (client: string, isFetch: boolean): Machine | undefined => {
    const here = atAddress(client);
    const [machine, ...others] = here.filter(({ isIdentified }) => isIdentified);
    if (!isFetch && machine !== undefined && others.length === 0) return machine;
    const known = here.find(({ isIdentified }) => !isIdentified);
    return known ?? add({ isIdentified: false, clients: new Set([client]) });
  };

  return {
    all,
    hostsWith,
    /**
     * The machine of a request or an event, which learns its identifiers. A machine that is not known is added.
     * @param isFetch whether a file is fetched: a shared file, before the machine sends an identifier, is of no machine
     * @returns undefined if it is not known, and there are too many
     */
    find: (seen: Identifiers, client: string | undefined, isFetch = false): Machine | undefined => {
      const { isNodeVerified, macs, name, node } = seen;
      const isIdentified = name !== undefined || macs.length > 0 || isNodeVerified;
      const known = findIdentified(seen);
      if (known === undefined && !isIdentified)
        return client === undefined ? undefined : findClient(client, isFetch);
      const machine = known ?? (name === undefined ? findFetcher(client) : undefined) ?? add({ name });
      if (machine === undefined) return undefined;
      for (const mac of macs) addLast(machine.seenMacs, mac, MAX_MACS);
      if (node !== undefined) machine.nodes.add(node);
      if (client !== undefined) addLast(machine.clients, client, MAX_CLIENTS);
      return machine;
    },
  };
}

/** MAC addresses of the inventory, then those that the machine has sent. */
export function knownMacs({ listedMacs, seenMacs }: Machine): readonly string[] {
  return [...new Set([...listedMacs, ...seenMacs])];
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
    macs,
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

/** Adds the item as the last one, and removes the first ones above the limit. */
function addLast(set: Set<string>, item: string, most: number): void {
  set.delete(item);
  set.add(item);
  for (const old of set) {
    if (set.size <= most) return;
    set.delete(old);
  }
}
