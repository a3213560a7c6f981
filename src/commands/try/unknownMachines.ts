/**
 * Machines that the inventory does not list: their number is limited, in total and for each client address, so that one client
 * cannot use the whole memory. Machines that have sent only one request are evicted first.
 */

import { largest } from '../../core/lists.ts';

/** A remembered machine. */
export interface UnknownMachine {
  /** The address of its first request; undefined for a machine that was not seen by a request. */
  readonly client: string | undefined;
  /** Whether it has sent another request. */
  readonly hasComeBack: boolean;
}

/** Maximum numbers of unknown machines. */
export interface UnknownLimits {
  readonly machines: number;
  /** For one address, which may be that of a proxy or a router. */
  readonly perClient: number;
}

export const MAX_UNKNOWN_MACHINES = 1000;

export const unknownLimits: UnknownLimits = { machines: MAX_UNKNOWN_MACHINES, perClient: 250 };

type Admission<M> =
  /** `evicted` is to be forgotten; undefined below the limits. */
  | { readonly kind: 'admitted'; readonly evicted: M | undefined }
  /** `problem` is a clause. */
  | { readonly kind: 'full'; readonly problem: string };

/**
 * Whether a new machine is remembered.
 * @param known the remembered machines, the oldest first
 */
export function admitMachine<M extends UnknownMachine>(
  client: string | undefined,
  known: readonly M[],
  { machines, perClient }: UnknownLimits,
): Admission<M> {
  const own = client === undefined ? [] : known.filter((one) => one.client === client);
  const isOwnFull = own.length >= perClient;
  if (!isOwnFull && known.length < machines) return { kind: 'admitted', evicted: undefined };
  const evicted = isOwnFull ? own.find(({ hasComeBack }) => !hasComeBack) : findEvicted(known);
  if (evicted !== undefined) return { kind: 'admitted', evicted };
  const limit = isOwnFull ? `${perClient} unknown machines at ${client}` : `${machines} unknown machines`;
  return { kind: 'full', problem: `more than ${limit}` };
}

/** The oldest machine of the client that has the most machines, so that a flood of requests evicts its own machines. */
function findEvicted<M extends UnknownMachine>(known: readonly M[]): M | undefined {
  const counts = new Map<string | undefined, number>();
  for (const { client } of known) counts.set(client, (counts.get(client) ?? 0) + 1);
  const single = known.filter(({ hasComeBack }) => !hasComeBack);
  const most = largest(single.map(({ client }) => counts.get(client) ?? 0));
  return single.find(({ client }) => counts.get(client) === most);
}
