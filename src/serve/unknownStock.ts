/** What machines get that no inventory lists, and the scripts that all machines read. */

import { networkBootFiles, renderDnsmasq } from '../boot/network/bootFiles.ts';
import type { BootFile, NetworkHost, RamdiskBoot } from '../boot/network/networkBoot.ts';
import { CliError } from '../core/errors.ts';
import { tellBoot } from '../hosts/plan/hostBoot.ts';
import { planUnknown } from '../hosts/plan/planUnknown.ts';
import { unknownMachines } from './answer/access.ts';
import type { NamedHost } from './catalog.ts';
import { stock, type StockJob } from './hostStock.ts';
import { unknownPlaces, unknownStem } from './servedPlaces.ts';

export interface UnknownStock {
  readonly hosts: readonly NamedHost[];
  readonly boots: readonly RamdiskBoot[];
}

/** @throws CliError where what is said of all hosts does not give a config */
export async function stockUnknown(job: StockJob): Promise<UnknownStock> {
  const { io, plan, things } = job;
  const plans = await planUnknown({ ...plan, places: unknownPlaces(things) }, io);
  const hosts: NamedHost[] = [];
  for (const one of plans) {
    const stem = unknownStem(one.images?.architecture, things.bases);
    // No host is called so.
    const name = `${unknownMachines} ${stem}`;
    const host = { ...(await stock(name, one, job)), name: unknownMachines, boot: undefined };
    hosts.push({ stem, host });
  }
  return { hosts, boots: plans.flatMap(({ start }) => start ?? []) };
}

/** @throws CliError where they cannot be written */
export function sharedScripts(
  discovery: readonly RamdiskBoot[],
  hosts: readonly NetworkHost[],
  { io, plan: { wanted }, things: { links } }: StockJob,
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
