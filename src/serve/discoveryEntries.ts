/** What machines get that no inventory lists, and the scripts that all machines read. */

import type { BootFile, NetworkHost, RamdiskBoot } from '../boot/network/networkBoot.ts';
import { unknownMachines } from './answer/access.ts';
import { sharedBootFiles } from '../hosts/plan/hostBoot.ts';
import { planUnknown } from '../hosts/plan/planUnknown.ts';
import type { ServedHost } from './catalog.ts';
import { buildEntry, type EntryJob } from './hostEntries.ts';
import { unknownPlaces, unknownStem } from './servedPlaces.ts';

export interface DiscoveryEntries {
  readonly hosts: readonly ServedHost[];
  readonly boots: readonly RamdiskBoot[];
}

/** @throws CliError where what is said of all hosts does not give a config */
export async function buildDiscoveryEntries(job: EntryJob): Promise<DiscoveryEntries> {
  const { io, plan, things } = job;
  const plans = await planUnknown({ ...plan, places: unknownPlaces(things) }, io);
  const hosts: ServedHost[] = [];
  for (const one of plans) {
    const stem = unknownStem(one.images?.architecture, things.bases);
    hosts.push(await buildEntry({ name: unknownMachines, stem, plan: one, boot: undefined }, job));
  }
  return { hosts, boots: plans.flatMap(({ start }) => start ?? []) };
}

/** @throws CliError where they cannot be written */
export function sharedScripts(
  discovery: readonly RamdiskBoot[],
  hosts: readonly NetworkHost[],
  { io, plan: { wanted }, things: { links } }: EntryJob,
): BootFile[] {
  const folderUrl = `${links.publicUrl}/${links.path({ kind: 'boot' }, '')}`.replace(/\/$/, '');
  return sharedBootFiles({ discovery, hosts, folderUrl }, wanted, io);
}
