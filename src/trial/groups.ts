/**
 * Which machines and visitors are shown as one host. It is decided when somebody looks, by all that is known then, so that
 * the order in which events came makes no difference:
 *
 * - what an address did, where one machine alone came from there, is that machine's;
 * - a host of the inventory of which only fetches were seen, and a machine without a name that came from the same address,
 *   are one, where nobody else came from there.
 */

import { absorbMachine, type Machine, type Machines, type Visitor } from './machines.ts';

/** A machine, what belongs to it, and visitors; or a visitor alone. */
export interface MachineGroup {
  /** The first one has the name. */
  readonly machines: readonly Machine[];
  readonly visitors: readonly Visitor[];
}

/** Each machine and visitor once: hosts that are expected, then others by when they came. */
export function groupMachines(all: Machines): readonly MachineGroup[] {
  const partners = findPartners(all);
  const partOfOther = new Set(partners.values());
  const claimed = new Set<Visitor>();
  const groups: MachineGroup[] = [];
  for (const machine of all.machines) {
    if (partOfOther.has(machine)) continue;
    const partner = partners.get(machine);
    const machines = partner === undefined ? [machine] : [machine, partner];
    const visitors = visitorsOf(machines, all);
    for (const visitor of visitors) claimed.add(visitor);
    groups.push({ machines, visitors });
  }
  const others = [...all.visitors.values()].filter((visitor) => !claimed.has(visitor));
  groups.push(...others.map((visitor) => ({ machines: [], visitors: [visitor] })));
  return groups.toSorted((a, b) => rankOf(a) - rankOf(b) || idOf(a) - idOf(b));
}

/** A host that is about to be shown as home stays it, also when others come from its address later. */
export function settlePartners(all: Machines): void {
  for (const [host, other] of findPartners(all)) {
    if (other.log.milestones.has('heartbeat')) absorbMachine(all, host, other);
  }
}

/** Of hosts with a name the machine without one that is the same. */
function findPartners({ claims }: Machines): ReadonlyMap<Machine, Machine> {
  const found = new Map<Machine, Set<Machine>>();
  const foundBy = new Map<Machine, Set<Machine>>();
  for (const claimers of claims.values()) {
    if (claimers.size !== 2) continue;
    const [first, second] = claimers;
    if (first === undefined || second === undefined) continue;
    const [host, other] = first.name === undefined ? [second, first] : [first, second];
    if (other.name !== undefined || host.name === undefined || hasSaidWhoItIs(host)) continue;
    add(found, host, other);
    add(foundBy, other, host);
  }
  const partners = new Map<Machine, Machine>();
  for (const [host, [other, ...more]] of found) {
    if (other !== undefined && more.length === 0 && foundBy.get(other)?.size === 1) partners.set(host, other);
  }
  return partners;
}

function hasSaidWhoItIs({ seenMacs, nodes }: Machine): boolean {
  return seenMacs.size > 0 || nodes.size > 0;
}

function visitorsOf(machines: readonly Machine[], { claims, visitors }: Machines): Visitor[] {
  const clients = new Set(machines.flatMap((machine) => [...machine.clients]));
  const own = [...clients].filter((client) =>
    [...(claims.get(client) ?? [])].every((machine) => machines.includes(machine)),
  );
  return own.flatMap((client) => visitors.get(client) ?? []);
}

function rankOf({ machines }: MachineGroup): number {
  return machines[0]?.isExpected === true ? 0 : 1;
}

function idOf({ machines, visitors }: MachineGroup): number {
  return machines[0]?.id ?? visitors[0]?.id ?? 0;
}

function add<K, V>(sets: Map<K, Set<V>>, key: K, value: V): void {
  sets.set(key, (sets.get(key) ?? new Set()).add(value));
}
