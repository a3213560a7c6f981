/** Plans the boot of one host of an inventory: its config, and the settings of its scripts and ISOs. Nothing is written here. */

import type { Architecture } from '../../core/architecture.ts';
import { diagnosticAt } from '../../core/finding.ts';
import type { NetworkHost } from '../../kargs/loaders/loader.ts';
import { parseUrl, urlHost } from '../../formats/url.ts';
import type { Io } from '../../io/io.ts';
import { type ConfigArtifact, hostArtifacts } from '../../core/artifacts.ts';
import { type Wanted, startedArtifact } from './artifacts.ts';
import {
  isoArguments,
  readBootSettings,
  reportArguments,
  reportBoot,
  requireBoot,
  type Start,
  startOf,
} from './hostBoot.ts';
import { checkBootOnce } from './knownBoots.ts';
import type {
  AgentArchives,
  HostArchive,
  HostConfigs,
  OpenArchive,
  PublishArchive,
} from './agentArchives.ts';
import { type BaseCatalog, requireImages } from './baseCatalog.ts';
import { type BaseSet, type ImageSet, supportsNetwork } from './baseImages.ts';
import { type AddressCheck, hostSource } from '../settings/renderHosts.ts';
import type { InventoryHost } from '../settings/inventoryDocument.ts';
import type { RenderSource } from '../settings/settings.ts';
import { networkRules } from '../../network/networkRules.ts';
import type { BootSettings } from '../../kargs/bootSettings.ts';
import { kernelArguments } from '../../kargs/kernelArguments.ts';
import { report } from '../../io/report/report.ts';
import type { Growth } from '../../image/growth.ts';
import { UNKNOWN_MACHINES } from '../../http/server/answer/access.ts';
import { findReachProblems, isStatic } from '../../network/reachability.ts';

export interface PlanJob {
  readonly wanted: Wanted;
  readonly source: RenderSource;
  readonly archives: AgentArchives;
  readonly growth: Growth;
  readonly checkAddresses?: AddressCheck;
}

/** Paths of the files that a host boots, relative to the base URL. */
export interface HostPlaces {
  /** The base images with their paths for this host. */
  readonly images: BaseCatalog<ImageSet>;
  /** The path may change with the content of the artifact. */
  readonly file: (artifact: ConfigArtifact, plan: HostPlan) => string;
  /** Returns the complete URL. */
  readonly publish: PublishArchive;
}

/** What a host boots, or all machines that are not listed: the inputs of its artifacts and boot scripts. */
export interface HostPlan {
  /** `*` for machines that are not listed. */
  readonly name: string;
  readonly macs: readonly string[];
  readonly architecture: Architecture;
  /** The stream of its images; undefined for images without a stream. */
  readonly stream: string | undefined;
  /** The artifacts with a config. */
  readonly artifacts: readonly ConfigArtifact[];
  /** The config for every way to boot except a full ISO. */
  readonly config: () => Uint8Array;
  /** The config for full ISOs, which contain the agent archive. */
  readonly isoConfig: () => Uint8Array;
  /** Whether machines that are not listed have this config with all architectures. */
  readonly isCommon?: boolean;
  /** Kinds of secrets in the config, as nouns. */
  readonly secrets: readonly string[];
  /** Undefined if the image of the agent is pulled from a registry. */
  readonly archive: HostArchive | undefined;
  /** The archive that full ISOs contain; undefined if hosts fetch it from a URL of the settings. */
  readonly archiveOnIso: OpenArchive | undefined;
  /** Undefined if no images are given. */
  readonly base: BaseSet | undefined;
  readonly rootfsUrl: string;
  readonly kargs: readonly string[];
  readonly growth: Growth;
  /** The initramfs gets the network of the config, too. */
  readonly takesNetwork: boolean;
  /** What its own boot scripts start; undefined for machines that are not listed, which boot the scripts for all machines. */
  readonly start: Start | undefined;
}

/**
 * The plan of a machine without settings of its own boot. Opens the agent archive if ISOs contain one.
 * @throws CliError if the archive cannot be read
 */
export async function planArtifacts(
  artifacts: readonly ConfigArtifact[],
  { archive, fetched, onIso }: HostConfigs,
  images: ImageSet | undefined,
  { archives, growth, wanted: { baseUrl = '' } }: PlanJob,
): Promise<HostPlan> {
  const isOnIso = archive !== undefined && archive.url === undefined;
  const rootfs = images?.paths.rootfs;
  return {
    name: UNKNOWN_MACHINES,
    macs: [],
    architecture: images?.base.architecture ?? 'x86_64',
    stream: undefined,
    artifacts,
    config: () => fetched.document,
    isoConfig: () => onIso.document,
    secrets: fetched.secrets,
    archive,
    archiveOnIso: isOnIso ? await archives.open(archive) : undefined,
    base: images?.base,
    rootfsUrl: rootfs === undefined ? '' : `${baseUrl}/${rootfs}`,
    kargs: [],
    growth,
    takesNetwork: fetched.hasNetwork && (await supportsNetwork(images)),
    start: undefined,
  };
}

/**
 * Returns undefined for an invalid host, after reporting its errors.
 * @throws CliError for an invalid host
 */
export async function planHost(
  host: InventoryHost,
  job: PlanJob,
  { file, images: catalog, publish }: HostPlaces,
  io: Io,
): Promise<(HostPlan & NetworkHost) | undefined> {
  const { name } = host;
  const source = hostSource(host, job.source, io);
  const chosen = catalog.size > 0 ? requireImages(source, host.architecture, catalog) : undefined;
  const images = chosen?.images;
  const known = host.architecture ?? images?.base.architecture;
  const { configs: all } = job.wanted;
  const configs = await job.archives.render(source, known, all, publish);
  if (configs === undefined) return undefined;
  const { connections, document, hasNetwork, shared } = configs.fetched;
  const artifacts = (isStatic(connections) ? job.wanted.staticConfigs : undefined) ?? all;
  const wanted = { ...job.wanted, configs: artifacts };
  job.checkAddresses?.(host, connections, source.io);
  const ramdisk = {
    ...(await planArtifacts(artifacts, configs, images, job)),
    name,
    macs: host.mac === undefined ? [] : [host.mac],
    architecture: known ?? 'x86_64',
    stream: chosen?.stream,
  };
  const pathOf = (artifact: ConfigArtifact): string => file(artifact, ramdisk);
  const settings = await readBootSettings(shared, images, source, pathOf, wanted, io);
  const planned = { ...ramdisk, kargs: isoArguments(settings, wanted) };
  const start = startOf(planned.architecture, settings, (artifact) => file(artifact, planned), wanted);
  const plan = { ...planned, start };
  const { length } = JSON.stringify(settings);
  const form = [hasNetwork, images?.base.id, plan.architecture, artifacts, plan.macs.length, length];
  const isBootable = await checkBootOnce(shared, name, form, source.io, async (ownIo) => {
    const onIso = artifacts.includes('iso') ? ((await images?.base.isoKargs()) ?? []) : [];
    await requireBoot([...onIso, ...kernelArguments(settings)], document, images, wanted, ownIo);
    const isEmbedded = hasNetwork && artifacts.some((artifact) => hostArtifacts[artifact].way !== undefined);
    if (!reportArguments(settings, isEmbedded, wanted, ownIo)) return false;
    const { baseUrl: folderUrl, loaders } = wanted;
    const boot = { hosts: [plan], discovery: [], loaders, folderUrl };
    return loaders.length === 0 || reportBoot(boot, wanted, ownIo);
  });
  if (hasNetwork && !(await reportNetwork(configs.fetched, settings, images, wanted, io))) return undefined;
  const added = artifacts.filter((artifact) => !all.includes(artifact));
  if (added.length > 0) {
    report(io, {
      severity: 'info',
      message: `the boot scripts of hosts with a static network load the config and the network before the initramfs starts (artifact ${added.join(', ')}): without DHCP, the initramfs cannot fetch the config`,
      hint: `${useIso(images)} if their boot loaders have no DHCP either, and boot the ISO from virtual media`,
    });
  }
  return isBootable ? plan : undefined;
}

/** Reports what the initramfs does not reach with the network of the host. Returns whether the artifacts can contain it. */
async function reportNetwork(
  fetched: HostConfigs['fetched'],
  settings: BootSettings,
  images: ImageSet | undefined,
  wanted: Wanted,
  io: Io,
): Promise<boolean> {
  reportFetches(fetched, settings, wanted, io);
  const embedding = wanted.configs.filter(isFetching);
  if (embedding.length === 0 || (await supportsNetwork(images))) return true;
  report(io, {
    severity: 'error',
    code: 'ERR_IMAGE',
    message: `the network of the host cannot be added to ${embedding.join(' and ')}: the initramfs of this OS image ignores keyfiles`,
    hint: `${useIso(images)}, or an image built since 2022`,
  });
  return false;
}

/** Whether a host fetches its root filesystem with the network in the artifact. A full ISO has it on the medium. */
function isFetching(artifact: ConfigArtifact): boolean {
  const { way } = hostArtifacts[artifact];
  return way !== undefined && way !== 'iso';
}

/** The start of a hint. A full ISO contains the root filesystem. */
function useIso(images: ImageSet | undefined): string {
  return images?.base.iso === undefined ? 'use --iso FILE and --artifacts iso' : 'use --artifacts iso';
}

function reportFetches(
  { connections, fetched }: HostConfigs['fetched'],
  { rootfsUrl }: BootSettings,
  { baseUrl, configs, loaders }: Wanted,
  io: Io,
): void {
  const { rule } = networkRules['agent-network-reach'];
  if (loaders.length > 0 && startedArtifact(configs) === 'ign' && isStatic(connections)) {
    const message =
      'the initramfs fetches the Ignition config, but it has no network: the network is in the config';
    const hint = `use --artifacts ${[...configs, 'archive', ...loaders].join(',')}`;
    report(io, { severity: 'warning', rule, message, hint });
    return;
  }
  const rootfs = baseUrl === undefined ? undefined : parseUrl(rootfsUrl ?? '');
  const needs = [
    configs.some(isFetching) && rootfs !== undefined
      ? [{ purpose: 'root filesystem', host: urlHost(rootfs) }]
      : [],
    ...fetched(),
  ].filter((servers) => servers.length > 0);
  report(
    io,
    findReachProblems(connections, needs).map((problem) => diagnosticAt(problem)),
  );
}
