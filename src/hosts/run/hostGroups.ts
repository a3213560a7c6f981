/** Hosts of which the same is to be said, so that it is said once. */

import { printable } from '../../io/report/printable.ts';

/** By the text that is said of them, in the order in which the texts came up. */
export type HostGroups = Map<string, HostGroup>;

/** Of any number of hosts, some names are kept. */
export interface HostGroup {
  readonly names: readonly string[];
  readonly count: number;
}

/** Enough to see which hosts they are. */
const mostNames = 3;

/** Gives the number of hosts of which this is said by now; of a text that is empty nothing is kept. */
export function addToGroup(groups: HostGroups, said: string, name: string): number {
  if (said === '') return 0;
  const { names, count } = groups.get(said) ?? { names: [], count: 0 };
  groups.set(said, { names: count < mostNames ? [...names, name] : names, count: count + 1 });
  return count + 1;
}

/** `worker-0, worker-1 and 7 more` */
export function formatGroup({ names, count }: HostGroup): string {
  const more = count - names.length;
  return `${names.map(printable).join(', ')}${more === 0 ? '' : ` and ${more} more`}`;
}
