/** What machines get that no inventory lists, and the scripts that all machines read. */

import { networkBootFiles } from '../boot/network/bootFiles.ts';
import { renderDnsmasq } from '../boot/network/dnsmasq.ts';
import type { BootFile, NetworkHost, RamdiskBoot } from '../boot/network/networkBoot.ts';
import { CliError } from '../core/errors.ts';
import { unknownMachines } from './answer/access.ts';
import { tellBoot } from '../hosts/plan/hostBoot.ts';
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
  if (wanted.loaders.length === 0) return [];
  const boot = { hosts: [], discovery, loaders: wanted.loaders };
  const folderUrl = `${links.publicUrl}/${links.path({ kind: 'boot' }, '')}`.replace(/\/$/, '');
  if (!tellBoot({ ...boot, folderUrl }, wanted, io)) {
    throw new CliError('The scripts for all machines cannot be written', {
      hint: 'mend what is reported above',
    });
  }
  return [...networkBootFiles(boot), { path: 'dnsmasq.conf', text: renderDnsmasq(folderUrl, hosts) }];
}
