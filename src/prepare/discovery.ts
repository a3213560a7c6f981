/** Scripts that all machines read, and the config and boot of those that no inventory lists. */

import type { NetworkHost, RamdiskBoot } from '../boot/network/networkBoot.ts';
import type { ConfigArtifact, Wanted } from '../hosts/artifacts/artifacts.ts';
import { memoryNeeds, type UnlistedMemory } from '../hosts/artifacts/hostMemory.ts';
import { discoveryPath } from '../hosts/artifacts/servedPaths.ts';
import { DNSMASQ, scriptSecrets, sharedBootFiles } from '../hosts/plan/hostBoot.ts';
import { planUnknown, type UnknownPlaces, type UnknownPlan } from '../hosts/plan/planUnknown.ts';
import { type HostJob, putConfigFiles } from './hosts.ts';
import type { ImageSet } from '../hosts/artifacts/baseImages.ts';

/**
 * Gives what machines need that are not listed.
 * @throws CliError where what is said of all hosts does not give a config, or scripts cannot be written
 */
export async function prepareDiscovery(
  isForUnknown: boolean,
  hosts: readonly NetworkHost[],
  job: HostJob,
): Promise<readonly UnlistedMemory[]> {
  const { boots, memory } = isForUnknown ? await putDiscovery(job) : { boots: [], memory: [] };
  await putScripts(boots, hosts, job);
  return memory;
}

async function putScripts(
  discovery: readonly RamdiskBoot[],
  hosts: readonly NetworkHost[],
  { access, io, sink: { folder }, wanted }: HostJob,
): Promise<void> {
  const secrets = discovery.flatMap(scriptSecrets).slice(0, 1);
  const permissions = secrets.length > 0 ? { secrets, ...access.secret } : access.open;
  for (const { path, text } of sharedBootFiles({ discovery, hosts, folderUrl: wanted.baseUrl }, wanted, io)) {
    await folder.put({ path, ...(path === DNSMASQ ? access.open : permissions) }, Buffer.from(text));
  }
}

interface Discovery {
  readonly boots: readonly RamdiskBoot[];
  readonly memory: readonly UnlistedMemory[];
}

/** One config, and a boot for each architecture that there are images of. */
async function putDiscovery(job: HostJob): Promise<Discovery> {
  const { images, io, publish, wanted } = job;
  const file: UnknownPlaces['file'] = (artifact, set, isCommon) =>
    architecturePath(artifact, images.size > 1 ? set : undefined, isCommon);
  const plans = await planUnknown({ ...job, places: { images, file, publish } }, io);
  for (const [index, plan] of plans.entries()) {
    const isOwn = index === 0 || !plan.isCommon;
    await putConfigFiles(plan, job, (artifact) =>
      isOwn || artifact !== 'ign' ? { path: file(artifact, plan.images, plan.isCommon) } : undefined,
    );
  }
  return {
    boots: plans.flatMap(({ start }) => start ?? []),
    memory: plans.flatMap((plan) => listMemory(plan, wanted)),
  };
}

/** With several architectures, images and archives of each have a folder of their own. */
function architecturePath(artifact: ConfigArtifact, set: ImageSet | undefined, isCommon: boolean): string {
  return discoveryPath(artifact, artifact === 'ign' && isCommon ? undefined : set?.architecture);
}

function listMemory({ images, configs }: UnknownPlan, { configs: artifacts }: Wanted): UnlistedMemory[] {
  const architecture = images?.architecture ?? 'x86_64';
  return memoryNeeds(artifacts, images?.sizes, configs.archive).map((need) => ({ architecture, ...need }));
}
