/** Scripts that all machines read, and the config and boot of those that no inventory lists. */

import { networkBootFiles, renderDnsmasq } from '../boot/network/bootFiles.ts';
import type { NetworkBoot, NetworkHost, RamdiskBoot } from '../boot/network/networkBoot.ts';
import { CliError } from '../core/errors.ts';
import type { ConfigArtifact, Wanted } from '../hosts/artifacts/artifacts.ts';
import { memoryNeeds, type UnlistedMemory } from '../hosts/artifacts/hostMemory.ts';
import { discoveryPath } from '../hosts/artifacts/servedPaths.ts';
import { scriptSecrets, tellBoot } from '../hosts/plan/hostBoot.ts';
import type { ImageSet } from '../hosts/plan/imageSet.ts';
import { planUnknown, type UnknownPlaces, type UnknownPlan } from '../hosts/plan/planUnknown.ts';
import { documentsOf, putConfigFiles } from './configFiles.ts';
import type { HostJob } from './hosts.ts';

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
  { access, maker, wanted }: HostJob,
): Promise<void> {
  const { baseUrl, loaders } = wanted;
  if (loaders.length === 0) return;
  const boot: NetworkBoot = { hosts: [], discovery, loaders };
  const folder = baseUrl === undefined ? {} : { folderUrl: baseUrl };
  if (!tellBoot({ ...boot, ...folder }, wanted, maker.io)) {
    throw new CliError('The scripts for all machines cannot be written', {
      hint: 'mend what is reported above',
    });
  }
  const secrets = discovery.flatMap(scriptSecrets).slice(0, 1);
  const permissions = secrets.length > 0 ? access.secret : access.open;
  for (const { path, text } of networkBootFiles(boot)) {
    await maker.folder.put({ path, secrets, ...permissions }, Buffer.from(text));
  }
  if (baseUrl === undefined || !loaders.includes('ipxe')) return;
  await maker.folder.put(
    { path: 'dnsmasq.conf', ...access.open },
    Buffer.from(renderDnsmasq(baseUrl, hosts)),
  );
}

interface Discovery {
  readonly boots: readonly RamdiskBoot[];
  readonly memory: readonly UnlistedMemory[];
}

/** One config, and a boot for each architecture that there are images of. */
async function putDiscovery(job: HostJob): Promise<Discovery> {
  const { access, images, maker, publish, wanted } = job;
  const file: UnknownPlaces['file'] = (artifact, set, isCommon) =>
    architecturePath(artifact, images.size > 1 ? set : undefined, isCommon);
  const plans = await planUnknown({ ...job, places: { images, file, publish } }, maker.io);
  for (const [index, plan] of plans.entries()) {
    const { configs, isCommon, isoArguments } = plan;
    const { secrets } = configs.fetched;
    const permissions = secrets.length > 0 ? access.secret : access.open;
    const isOwn = index === 0 || !isCommon;
    await putConfigFiles(
      {
        ...documentsOf(configs),
        artifacts: isOwn ? wanted.configs : wanted.configs.filter((artifact) => artifact !== 'ign'),
        isoArguments,
        images: plan.images,
        purposeOf: (artifact) => ({ path: file(artifact, plan.images, isCommon), secrets, ...permissions }),
      },
      maker,
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
