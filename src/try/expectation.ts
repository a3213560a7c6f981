/** Who has to call home: what `--expect` says, or all hosts of the inventory, or the emulated machine, or anybody. */

import { parseMacAddress } from '../core/macAddress.ts';
import { UsageError } from '../core/errors.ts';
import { MAX_UNKNOWN_MACHINES } from './ironic/nodes.ts';
import type { ExpectedHost } from './timeline/machines.ts';
import type { AwaitedMachines } from './timeline/result.ts';

export interface Expectation {
  /** Those who are known by name: of the inventory, the emulated one, those whose MAC address was given. */
  readonly known: readonly ExpectedHost[];
  readonly awaited: AwaitedMachines;
}

export interface ExpectationSource {
  /** What `--expect` says. */
  readonly given: string | undefined;
  /** Of the inventory. */
  readonly hosts: readonly ExpectedHost[];
  /** That of `--qemu`, which may be one of them. */
  readonly machine: ExpectedHost | undefined;
}

/** @throws UsageError for a number or a name that cannot be waited for */
export function readExpectation({ given, hosts, machine }: ExpectationSource): Expectation {
  if (given === undefined) {
    // Who emulates one machine is not told why others do not come.
    const known = machine === undefined ? hosts : [machine];
    const names = [...new Set(known.map(({ name }) => name))];
    return { known, awaited: names.length > 0 ? { kind: 'hosts', names } : { kind: 'any', count: 1 } };
  }
  const known = withMachine(hosts, machine);
  if (/^\d+$/.test(given)) return { known, awaited: { kind: 'any', count: parseCount(given) } };
  const wanted = given.split(',').map((text) => findHost(text.trim(), known));
  const strangers = wanted.filter((host) => !known.includes(host));
  return {
    known: [...known, ...strangers],
    awaited: { kind: 'hosts', names: [...new Set(wanted.map(({ name }) => name))] },
  };
}

/** Its MAC address may be another than the inventory says. */
function withMachine(
  hosts: readonly ExpectedHost[],
  machine: ExpectedHost | undefined,
): readonly ExpectedHost[] {
  return machine === undefined ? hosts : [...hosts.filter(({ name }) => name !== machine.name), machine];
}

function parseCount(text: string): number {
  const count = Number(text);
  if (count >= 1 && count <= MAX_UNKNOWN_MACHINES) return count;
  throw new UsageError(`--expect ${text}: so many agents are not waited for`, {
    hint: `give a number from 1 to ${MAX_UNKNOWN_MACHINES}, or names of hosts`,
  });
}

/** Who is in no inventory goes by its MAC address. */
function findHost(text: string, known: readonly ExpectedHost[]): ExpectedHost {
  const named = known.find(({ name }) => name === text);
  if (named !== undefined) return named;
  const address = parseMacAddress(text);
  if ('mac' in address) {
    return known.find(({ macs }) => macs.includes(address.mac)) ?? { name: address.mac, macs: [address.mac] };
  }
  throw new UsageError(`--expect: there is no host ${JSON.stringify(text)}`, {
    hint: 'give a number, MAC addresses, or names of the inventory, with commas between them',
  });
}
