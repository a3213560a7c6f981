/** The hosts of an inventory, one after the other: config, images and boot scripts of each, data before what points there. */

import type { InventoryHost } from '../hosts/settings/inventoryDocument.ts';
import { listHosts } from '../hosts/settings/renderHosts.ts';
import type { Architecture } from '../core/architecture.ts';
import { hostBootFiles } from '../boot/network/bootFiles.ts';
import type { NetworkHost } from '../boot/network/networkBoot.ts';
import { diagnosticOf } from '../core/diagnostic.ts';
import { CliError } from '../core/errors.ts';
import type { FilePurpose } from './folder/preparedFolder.ts';
import type { ConfigArtifact, Wanted, WantedArtifacts } from '../hosts/artifacts/artifacts.ts';
import { memoryNeeds } from '../hosts/artifacts/hostMemory.ts';
import type { ManifestHost } from '../hosts/artifacts/manifest.ts';
import { hostPath } from '../hosts/artifacts/servedPaths.ts';
import { type HostRun, keepRemarks, reportProblem } from '../hosts/run/hostRun.ts';
import { type MadeHost, makeHosts } from '../hosts/run/makeHosts.ts';
import type { HostConfigs, PublishArchive } from '../hosts/plan/agentArchives.ts';
import { type FolderSink, putHostFile } from './putFiles.ts';
import { scriptSecrets } from '../hosts/plan/hostBoot.ts';
import type { ImageSet } from '../hosts/artifacts/baseImages.ts';
import { materialOf, type SharedMaterial } from '../hosts/artifacts/hostArtifacts.ts';
import type { Io } from '../io/io.ts';
import { type HostPlan, planHost, type PlanJob } from '../hosts/plan/planHost.ts';
import type { FileAccess } from './options.ts';

/** What all hosts have in common. */
export interface HostJob extends PlanJob {
  readonly access: FileAccess;
  readonly images: ReadonlyMap<Architecture, ImageSet>;
  readonly publish: PublishArchive;
  readonly shared: SharedMaterial;
  readonly sink: FolderSink;
  readonly io: Io;
}

/** The hosts that are right now, and the names of those that are not. */
export interface PreparedHosts {
  readonly hosts: readonly ManifestHost[];
  readonly boots: readonly NetworkHost[];
  readonly wrong: ReadonlySet<string>;
}

/** Wrong ones are told, and the others are written. */
export async function prepareHosts(
  hosts: readonly InventoryHost[],
  job: HostJob,
  run: HostRun,
): Promise<PreparedHosts> {
  const listed = listHosts(hosts, job.source);
  const places = { images: () => job.images, file: hostPath, publish: () => job.publish };
  const written: ManifestHost[] = [];
  const boots: NetworkHost[] = [];
  const pending = new Set<Promise<void>>();
  for await (const made of makeHosts(listed, (host, io) => planHost(host, { ...job, places }, io), run)) {
    keepRemarks(made.remarks, made.host.name, run);
    const write = writeHost(made, job, run)
      .then((isWritten) => {
        if (!isWritten) return;
        written.push(describeHost(made.made, job.wanted));
        boots.push(made.made.boot);
      })
      .finally(() => pending.delete(write));
    pending.add(write);
    if (pending.size >= mostWrites(job.wanted)) await Promise.race(pending);
  }
  await Promise.all(pending);
  const right = new Set(written.map(({ name }) => name));
  const order = new Map(hosts.map(({ name }, index) => [name, index]));
  return {
    hosts: written,
    boots: boots.toSorted((one, other) => (order.get(one.name) ?? 0) - (order.get(other.name) ?? 0)),
    wrong: new Set(hosts.map(({ name }) => name).filter((name) => !right.has(name))),
  };
}

/** Files that are on their way to the disk while further hosts are made; of large ones, a disk writes few well. */
function mostWrites({ configs }: WantedArtifacts): number {
  return configs.every((artifact) => artifact === 'ign' || artifact === 'archive') ? 16 : 2;
}

function describeHost({ architecture, configs, images, macs, name }: HostPlan, wanted: Wanted): ManifestHost {
  return {
    name,
    macs,
    architecture,
    state: 'prepared',
    ...(images !== undefined && { images: images.id }),
    ...describeArchive(configs, images, wanted),
  };
}

/** What the host loads, and what it needs for all that. */
function describeArchive(
  { archive }: HostConfigs,
  images: ImageSet | undefined,
  { configs }: Wanted,
): Pick<ManifestHost, 'agentArchive' | 'memory'> {
  const memory = memoryNeeds(configs, images?.sizes, archive);
  return {
    ...(archive !== undefined && { agentArchive: archive.id }),
    ...(memory.length > 0 && { memory }),
  };
}

async function writeHost({ host, made }: MadeHost<HostPlan>, job: HostJob, run: HostRun): Promise<boolean> {
  try {
    await putHost(made, job);
    return true;
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    reportProblem(host, [diagnosticOf(error)], run);
    return false;
  }
}

async function putHost(plan: HostPlan, job: HostJob): Promise<void> {
  const { name, boot } = plan;
  await putConfigFiles(plan, job, (artifact) => ({ path: hostPath(name, artifact), host: name }));
  await putScripts(boot, job);
}

/** The files with the configs of a host, or of all machines that are not listed. */
export async function putConfigFiles(
  plan: Pick<HostPlan, 'configs' | 'images' | 'isoArguments'>,
  { access, shared, sink, wanted }: HostJob,
  placeOf: (artifact: ConfigArtifact) => Pick<FilePurpose, 'path' | 'host'> | undefined,
): Promise<void> {
  const { secrets } = plan.configs.fetched;
  const permissions = secrets.length > 0 ? access.secret : access.open;
  const material = await materialOf(plan, shared);
  for (const artifact of wanted.configs) {
    const place = placeOf(artifact);
    if (place !== undefined)
      await putHostFile(artifact, { material, purpose: { ...place, secrets, ...permissions } }, sink);
  }
}

async function putScripts(boot: NetworkHost, { access, sink, wanted }: HostJob): Promise<void> {
  const secrets = scriptSecrets(boot.start);
  const permissions = secrets.length > 0 ? access.secret : access.open;
  for (const { path, text } of hostBootFiles(boot, wanted.loaders)) {
    await sink.folder.put({ path, host: boot.name, secrets, ...permissions }, Buffer.from(text));
  }
}
