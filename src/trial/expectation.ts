/** The hosts to wait for: those of `--expect`, or all hosts of the inventory, or the emulated machine, or any machine. */

import { quoteText } from '../core/foreignText.ts';
import { parseMacAddress } from '../core/macAddress.ts';
import { UsageError } from '../core/errors.ts';
import { type ExpectedHost, MAX_UNKNOWN_MACHINES } from './timeline/machines.ts';
import type { AwaitedMachines } from './timeline/result.ts';

export interface Expectation {
  /** Hosts of the inventory, the emulated machine, and machines of `--expect` with their MAC address as name. */
  readonly known: readonly ExpectedHost[];
  readonly awaited: AwaitedMachines;
}

/**
 * @param given the value of `--expect`
 * @param hosts of the inventory
 * @param machine that of `--qemu`, which may be a host of the inventory
 * @throws UsageError for an invalid number and an unknown host
 */
export function readExpectedHosts(
  given: string | undefined,
  hosts: readonly ExpectedHost[],
  machine: ExpectedHost | undefined,
): Expectation {
  // The machine replaces the host of the same name, because `--mac` may set another MAC address. Alone, it is the only one expected.
  const others = given === undefined ? [] : hosts.filter(({ name }) => name !== machine?.name);
  const known = machine === undefined ? hosts : [...others, machine];
  if (given === undefined) {
    const names = [...new Set(known.map(({ name }) => name))];
    return { known, awaited: names.length > 0 ? { kind: 'hosts', names } : { kind: 'any', count: 1 } };
  }
  if (/^\d+$/.test(given)) {
    const count = Number(given);
    if (count >= 1 && count <= MAX_UNKNOWN_MACHINES) return { known, awaited: { kind: 'any', count } };
    throw new UsageError(`invalid value "${given}" for --expect: the number is out of range`, {
      hint: `use a number from 1 to ${MAX_UNKNOWN_MACHINES}, or names of hosts`,
    });
  }
  const wanted = given.split(',').map((text) => findHost(text.trim(), known));
  const unlisted = wanted.filter((host) => !known.includes(host));
  return {
    known: [...known, ...unlisted],
    awaited: { kind: 'hosts', names: [...new Set(wanted.map(({ name }) => name))] },
  };
}

/** The name of a machine that the inventory does not contain is its MAC address. */
function findHost(text: string, known: readonly ExpectedHost[]): ExpectedHost {
  const named = known.find(({ name }) => name === text);
  if (named !== undefined) return named;
  const address = parseMacAddress(text);
  if ('mac' in address) {
    return known.find(({ macs }) => macs.includes(address.mac)) ?? { name: address.mac, macs: [address.mac] };
  }
  throw new UsageError(`unknown host ${quoteText(text)} in --expect`, {
    hint: 'use a number, or names of the inventory and MAC addresses, separated by commas',
  });
}
