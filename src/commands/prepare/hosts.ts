/** Writes the files of each host: config and images first, then the boot scripts that refer to them. */

import { isDeepStrictEqual } from 'node:util';
import type { InventoryHost } from '../../hosts/settings/inventoryDocument.ts';
import { hostBootFiles, hostScriptPaths } from '../../kargs/network/bootFiles.ts';
import { type DhcpRange, usualRange } from '../../kargs/network/dnsmasq.ts';
import type { NetworkHost } from '../../kargs/network/networkBoot.ts';
import type { PrepareRun } from './run.ts';
import type { ConfigArtifact, WantedArtifacts } from '../../hosts/artifacts/artifacts.ts';
import { memoryNeeds, type UnlistedMemory } from '../../hosts/artifacts/hostMemory.ts';
import type { ManifestHost } from '../../hosts/artifacts/manifest.ts';
import { report } from '../../io/report/report.ts';
import { artifactPath, discoveryFolder, hostFolder } from '../../hosts/artifacts/servedPaths.ts';
import { type HostRun, type MadeHost, makeHosts, writeMade } from '../../hosts/hostRun.ts';
import { artifactId } from './artifactId.ts';
import { putHostFile } from './putFiles.ts';
import { scriptSecrets, DNSMASQ, sharedBootFiles } from '../../hosts/plan/hostBoot.ts';
import type { ImageSet } from '../../hosts/artifacts/baseImages.ts';
import { materialOf } from '../../hosts/artifacts/hostArtifacts.ts';
import { architecturesOf, type BaseCatalog } from '../../hosts/plan/baseCatalog.ts';
import { type HostPlan, planHost, type PlannedArtifacts, type PlanJob } from '../../hosts/plan/planHost.ts';
import { planUnknown, type UnknownPlan } from '../../hosts/plan/planUnknown.ts';

/** The inputs that all hosts share. */
export interface HostJob extends PlanJob, PrepareRun {
  readonly images: BaseCatalog<ImageSet>;
  /** For `dnsmasq.conf`; undefined for the range of the base URL. */
  readonly range: DhcpRange | undefined;
}

/** The written hosts, and the names of invalid hosts. */
export interface PreparedHosts {
  readonly hosts: readonly ManifestHost[];
  /** The hosts that boot an ISO, for `dnsmasq.conf`. Of many hosts, the boot settings of the others take too much memory. */
  readonly isoBoots: readonly NetworkHost[];
  readonly invalid: ReadonlySet<string>;
}

/** Invalid hosts are reported and skipped. */
export async function prepareHosts(
  hosts: readonly InventoryHost[],
  job: HostJob,
  run: HostRun,
): Promise<PreparedHosts> {
  const written: ManifestHost[] = [];
  const isoBoots: NetworkHost[] = [];
  const plans = makeHosts(
    hosts,
    (host, io) => planHost(host, job, { ...job, file: placesIn(hostFolder(host.name), job) }, io),
    run,
  );
  const write = async ({ made: plan }: MadeHost<HostPlan>): Promise<void> => {
    await putHost(plan, job);
    const described = describeHost(plan);
    const sameMemory = isDeepStrictEqual(described.memory, written.at(-1)?.memory);
    written.push(sameMemory ? { ...described, memory: written.at(-1)?.memory } : described);
    if (plan.boot.start.kind === 'iso') isoBoots.push(plan.boot);
  };
  await writeMade(plans, maxWrites(job.wanted), write, run);
  const valid = new Set(written.map(({ name }) => name));
  const order = new Map(hosts.map(({ name }, index) => [name, index]));
  return {
    hosts: written,
    isoBoots: isoBoots.toSorted((one, other) => (order.get(one.name) ?? 0) - (order.get(other.name) ?? 0)),
    invalid: new Set(hosts.map(({ name }) => name).filter((name) => !valid.has(name))),
  };
}

/** Limit for files that are written at the same time. Lower for large files, because of disk throughput. */
function maxWrites({ configs }: WantedArtifacts): number {
  return configs.every((artifact) => artifact === 'ign' || artifact === 'archive') ? 16 : 2;
}

function describeHost({
  architecture,
  artifacts,
  configs,
  images,
  macs,
  name,
  stream,
}: HostPlan): ManifestHost {
  const { archive } = configs;
  const memory = memoryNeeds(artifacts, images?.base, archive);
  return {
    name,
    macs,
    architecture,
    stream,
    state: 'prepared',
    images: images?.base.id,
    agentArchive: archive?.id,
    memory: memory.length > 0 ? memory : undefined,
  };
}

/** The path of an artifact in a folder of the prepared folder. */
function placesIn(folder: string, { growth, wanted }: HostJob) {
  return (artifact: ConfigArtifact, planned: PlannedArtifacts): string =>
    artifactPath(folder, artifact, artifactId(artifact, planned, wanted, growth));
}

/** If one of the files cannot be created, the host keeps all of its previous files. */
async function putHost(plan: HostPlan, job: HostJob): Promise<void> {
  const { boot, name } = plan;
  const { folder, wanted } = job;
  const fileOf = placesIn(hostFolder(name), job);
  try {
    await putArtifacts(plan, job, (artifact) => fileOf(artifact, plan), name);
    const secrets = scriptSecrets(boot.start);
    for (const { path, text } of hostBootFiles(boot, wanted.loaders)) {
      await folder.put({ path, host: name, secrets }, Buffer.from(text));
    }
  } catch (error) {
    const paths = plan.artifacts.map((artifact) => fileOf(artifact, plan));
    await folder.withdraw([...paths, ...hostScriptPaths(boot, wanted.loaders)]);
    throw error;
  }
}

/** Writes the files with the config of a host, or of all machines that are not listed (without `host`). */
async function putArtifacts(
  plan: PlannedArtifacts,
  { archives, folder, growth, wanted }: HostJob,
  fileOf: (artifact: ConfigArtifact) => string,
  host?: string,
): Promise<void> {
  const { secrets } = plan.configs.fetched;
  const material = await materialOf(plan, archives, wanted.baseUrl ?? '', growth);
  for (const artifact of plan.artifacts) {
    await putHostFile(folder, { path: fileOf(artifact), host, secrets }, artifact, material);
  }
}

/**
 * Returns the memory that machines need that are not listed.
 * @throws CliError if the settings of all hosts do not result in a valid config, or scripts cannot be written
 */
export async function prepareDiscovery(
  isForUnknown: boolean,
  hosts: readonly NetworkHost[],
  job: HostJob,
): Promise<readonly UnlistedMemory[]> {
  const { folder, io, range, wanted } = job;
  const plans = isForUnknown ? await putDiscovery(job) : [];
  const discovery = plans.flatMap(({ start }) => start ?? []);
  const secrets = discovery.flatMap(scriptSecrets).slice(0, 1);
  const { baseUrl, loaders } = wanted;
  const dhcp = { loaderUrl: baseUrl, range };
  if (baseUrl !== undefined && loaders.includes('ipxe') && (range ?? usualRange(baseUrl)) === undefined) {
    report(io, {
      severity: 'info',
      message: `${DNSMASQ} contains no addresses of the hosts, because the base URL contains no IPv4 address`,
      hint: 'use --dhcp-range FIRST,LAST, or --dhcp-range ADDRESS,proxy if the network has a DHCP server',
    });
  }
  for (const { path, text } of sharedBootFiles(discovery, hosts, wanted, dhcp, io)) {
    await folder.put(path === DNSMASQ ? { path } : { path, secrets }, Buffer.from(text));
  }
  return plans.flatMap(({ images, configs: { archive } }) => {
    const architecture = images?.base.architecture ?? 'x86_64';
    return memoryNeeds(wanted.configs, images?.base, archive).map((need) => ({ architecture, ...need }));
  });
}

/** Writes the config, and plans a boot for each architecture with images. */
async function putDiscovery(job: HostJob): Promise<readonly UnknownPlan[]> {
  const { images, io, publish } = job;
  // With several architectures, the images and archives of each have their own folder.
  const file = (artifact: ConfigArtifact, planned: PlannedArtifacts): string => {
    const isShared = architecturesOf(images).length < 2 || (artifact === 'ign' && planned.isCommon === true);
    const subfolder = isShared ? undefined : planned.images?.base.architecture;
    return placesIn(discoveryFolder(subfolder), job)(artifact, planned);
  };
  const plans = await planUnknown(job, { images, file, publish }, io);
  for (const [index, plan] of plans.entries()) {
    const isOwn = index === 0 || plan.isCommon !== true;
    const artifacts = plan.artifacts.filter((artifact) => isOwn || artifact !== 'ign');
    await putArtifacts({ ...plan, artifacts }, job, (artifact) => file(artifact, plan));
  }
  return plans;
}
