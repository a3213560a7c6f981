/** From the plan of a host to what its files are made from. */

import type { HostPlan } from '../hosts/plan/planHost.ts';
import type { HostSource } from './hostResources.ts';
import type { ServedThings } from './servedPlaces.ts';

/** What of a plan the files are made from. */
export type StockPlan = Pick<HostPlan, 'configs' | 'images' | 'isoArguments'>;

/** What a plan alone says; the configs are kept as the caller sees fit. */
export type PlannedSource = Pick<HostSource, 'archive' | 'kargs' | 'rootfsUrl' | 'bases'>;

/** Opens the archive of the agent's image, where ISOs have one. Throws CliError where it cannot be read. */
export async function planSource(
  { configs: { archive }, images, isoArguments }: StockPlan,
  { archives, bases, links }: ServedThings,
): Promise<PlannedSource> {
  const isOnMedium = archive !== undefined && archive.url === undefined;
  const rootfs = images?.parts.rootfs;
  return {
    archive: isOnMedium ? await archives.open(archive) : undefined,
    kargs: isoArguments,
    rootfsUrl: rootfs === undefined ? '' : `${links.publicUrl}/${rootfs}`,
    bases: images && bases.get(images.architecture),
  };
}
