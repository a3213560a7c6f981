/** The hosts of an inventory, one after the other: config, images and boot scripts of each, data before what points there. */

import type { InventoryHost } from '../../agent/inventory.ts';
import type { Architecture } from '../../boot/checkForms.ts';
import { hostBootFiles } from '../../boot/network/bootFiles.ts';
import type { NetworkHost } from '../../boot/network/networkBoot.ts';
import { CliError } from '../../errors.ts';
import type { Io } from '../../io/io.ts';
import type { PreparedFolder } from '../../io/preparedFolder.ts';
import type { WantedArtifacts } from '../../prepare/artifacts.ts';
import { isoArguments } from '../../prepare/isoArguments.ts';
import type { ManifestHost } from '../../prepare/manifest.ts';
import { hostPath } from '../../prepare/servedPaths.ts';
import { addToGroup } from '../hosts/hostGroups.ts';
import { type HostRun, tellProblem } from '../hosts/hostRun.ts';
import { formatProblem, type MadeHost, makeHosts } from '../hosts/makeHosts.ts';
import type { InventoryLayers } from '../pxe/inventoryHost.ts';
import { listHosts, type RenderHost } from '../render/hosts.ts';
import type { RenderConfig, RenderedConfig } from '../render/renderConfig.ts';
import type { RenderSource } from '../render/settings.ts';
import { type FileMaker, putConfigFiles } from './configFiles.ts';
import { bootOfHost, readBootSettings, scriptSecrets, startOf, tellBoot } from './hostBoot.ts';
import type { ImageSet } from './imageSets.ts';
import type { FileAccess, Wanted } from './options.ts';

/** What all hosts have in common. */
export interface HostJob {
  readonly wanted: Wanted;
  readonly access: FileAccess;
  readonly images: ReadonlyMap<Architecture, ImageSet>;
  readonly source: RenderSource;
  readonly layers: InventoryLayers;
  readonly render: RenderConfig;
  readonly maker: FileMaker;
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
  const listed = listHosts(hosts, job.source).map((host, index) => ({ ...host, inventory: hosts[index] }));
  const written: ManifestHost[] = [];
  const boots: NetworkHost[] = [];
  const pending = new Set<Promise<void>>();
  for await (const made of makeHosts(listed, (host, io) => makeHost(host, job, io), run)) {
    addToGroup(run.remarks, made.said, made.host.name);
    const write = writeHost(made, job, run)
      .then((isWritten) => {
        if (!isWritten) return;
        written.push(made.made.host);
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

interface Host extends RenderHost {
  readonly inventory: InventoryHost | undefined;
}

/** A host before its files are written. */
interface Made {
  readonly host: ManifestHost;
  readonly boot: NetworkHost;
  readonly config: RenderedConfig;
  readonly images: ImageSet | undefined;
  readonly isoArguments: readonly string[];
}

async function makeHost(
  { name, inventory, readSource }: Host,
  job: HostJob,
  io: Io,
): Promise<Made | undefined> {
  const { wanted, layers } = job;
  const config = await job.render(readSource(io));
  if (config === undefined) return undefined;
  const images = findImages(inventory?.architecture, job);
  const architecture = inventory?.architecture ?? images?.architecture ?? 'x86_64';
  const own = inventory === undefined ? [] : [inventory.readInputs()];
  const subject = {
    architecture,
    images,
    layers: { ...layers, files: [...own, ...layers.files] },
    pathOf: (artifact: Parameters<typeof hostPath>[1]) => hostPath(name, artifact),
  };
  const settings = readBootSettings(subject, wanted, io);
  const macs = inventory?.mac === undefined ? [] : [inventory.mac];
  const boot = { name, macs, start: startOf(subject, settings, wanted) };
  if (wanted.loaders.length > 0 && !tellBoot(bootOfHost(boot, wanted), wanted, io)) return undefined;
  const host: ManifestHost = {
    name,
    macs,
    architecture,
    state: 'prepared',
    ...(images !== undefined && { images: images.id }),
  };
  return { host, boot, config, images, isoArguments: isoArguments(settings) };
}

/** Undefined where no images are given at all. */
function findImages(architecture: Architecture | undefined, { images }: HostJob): ImageSet | undefined {
  if (images.size === 0) return undefined;
  if (architecture === undefined && images.size === 1) return [...images.values()][0];
  const wanted = architecture ?? 'x86_64';
  const found = images.get(wanted);
  if (found !== undefined) return found;
  throw new CliError(`there are no images for ${wanted}`, {
    hint: `give them: --iso ${wanted}=FILE, or --kernel, --initramfs and --rootfs`,
  });
}

async function writeHost({ host, made }: MadeHost<Made>, job: HostJob, run: HostRun): Promise<boolean> {
  try {
    await putHost(made, job);
    return true;
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    tellProblem(host, formatProblem(error), run);
    return false;
  }
}

async function putHost(
  { host, boot, config, images, isoArguments: kargs }: Made,
  job: HostJob,
): Promise<void> {
  const { access, maker, wanted } = job;
  const { name } = host;
  const { secrets } = config;
  const permissions = secrets.length > 0 ? access.secret : access.open;
  await putConfigFiles(
    {
      config: config.document,
      artifacts: wanted.configs,
      isoArguments: kargs,
      images,
      purposeOf: (artifact) => ({ path: hostPath(name, artifact), host: name, secrets, ...permissions }),
    },
    maker,
  );
  await putScripts(boot, job, maker.folder);
}

async function putScripts(
  boot: NetworkHost,
  { access, wanted }: HostJob,
  folder: PreparedFolder,
): Promise<void> {
  const secrets = scriptSecrets(boot.start);
  const permissions = secrets.length > 0 ? access.secret : access.open;
  for (const { path, text } of hostBootFiles(boot, wanted.loaders)) {
    await folder.put({ path, host: boot.name, secrets, ...permissions }, Buffer.from(text));
  }
}
