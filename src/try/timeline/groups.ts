/**
 * Which machines and visitors are shown as one host: what an address did of which no machine was known then is that
 * machine's which alone came from there.
 */

import type { Machine, Machines, Visitor } from './machines.ts';

/** A machine, and visitors that are it; or a visitor alone. */
export interface MachineGroup {
  readonly machine: Machine | undefined;
  readonly visitors: readonly Visitor[];
  /** Addresses of the machine from which others came, too. */
  readonly sharedClients: readonly string[];
  /** MAC addresses of machines without a name that came from its addresses. */
  readonly strangerMacs: readonly string[];
}

/** Each machine and visitor once: hosts that are expected, then others by when they came. */
export function groupMachines(all: Machines): readonly MachineGroup[] {
  const claimed = new Set<Visitor>();
  const groups: MachineGroup[] = [];
  for (const machine of all.machines) {
    const sharedClients = [...machine.clients].filter((client) => (all.claims.get(client)?.size ?? 0) > 1);
    const own = [...machine.clients].filter((client) => !sharedClients.includes(client));
    const visitors = own.flatMap((client) => all.visitors.get(client) ?? []);
    for (const visitor of visitors) claimed.add(visitor);
    groups.push({ machine, visitors, sharedClients, strangerMacs: strangerMacs(all, sharedClients) });
  }
  const others = [...all.visitors.values()].filter((visitor) => !claimed.has(visitor));
  const alone = { machine: undefined, sharedClients: [], strangerMacs: [] };
  groups.push(...others.map((visitor) => ({ ...alone, visitors: [visitor] })));
  return groups.toSorted((a, b) => rankOf(a) - rankOf(b) || idOf(a) - idOf(b));
}

/** That are told; behind one address there may be thousands. */
const mostStrangers = 4;

function strangerMacs({ claims }: Machines, clients: readonly string[]): readonly string[] {
  const macs = new Set<string>();
  for (const client of clients) {
    for (const { name, seenMacs } of claims.get(client) ?? []) {
      const [mac] = seenMacs;
      if (name === undefined && mac !== undefined) macs.add(mac);
      if (macs.size >= mostStrangers) return [...macs];
    }
  }
  return [...macs];
}

function rankOf({ machine }: MachineGroup): number {
  return machine?.isExpected === true ? 0 : 1;
}

function idOf({ machine, visitors }: MachineGroup): number {
  return machine?.id ?? visitors[0]?.id ?? 0;
}
