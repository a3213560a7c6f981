/** Plans the boot of one host of an inventory: its config, and the settings of its scripts and ISOs. Nothing is written here. */

import type { Architecture } from '../../core/architecture.ts';
import type { NetworkHost } from '../../kargs/network/networkBoot.ts';
import { parseUrl, urlHost } from '../../formats/url.ts';
import type { Io } from '../../io/io.ts';
import { type ConfigArtifact, type Wanted, startedArtifact } from '../artifacts/artifacts.ts';
import {
  isoArguments,
  bootOfHost,
  readBootSettings,
  reportArguments,
  startOf,
  reportBoot,
} from './hostBoot.ts';
import type { AgentArchives, HostConfigs, PublishArchive } from './agentArchives.ts';
import { type BaseCatalog, requireImages } from './baseCatalog.ts';
import { refuseForImage } from '../input/imageRequirements.ts';
import { checkAgentArguments } from './agentArguments.ts';
import { type ImageSet, supportsNetwork } from '../artifacts/baseImages.ts';
import { type AddressCheck, hostSource } from '../settings/renderHosts.ts';
import type { InventoryHost } from '../settings/inventoryDocument.ts';
import type { RenderSource } from '../settings/settings.ts';
import { hasKeyfiles } from '../../agent/hostNetwork.ts';
import { networkRules } from '../../network/networkRules.ts';
import type { BootSettings } from '../../kargs/bootSettings.ts';
import { kernelArguments } from '../../kargs/kernelArguments.ts';
import { readEffectiveConfig } from '../../ignition/effectiveConfig.ts';
import { report } from '../../io/report/report.ts';
import { withoutIgnored } from '../../io/report/ruleBook.ts';
import { CONFIG_NAME } from '../../image/embeddedIgnition.ts';
import { listFetched, reportImageNetwork } from '../input/imageNetwork.ts';
import { findReachProblems, isStatic } from '../../network/reachability.ts';

/** The inputs that all machines share. */
export interface PlanJob {
  readonly wanted: Wanted;
  readonly source: RenderSource;
  readonly archives: AgentArchives;
  /** For the hosts of an inventory. */
  readonly checkAddresses?: AddressCheck;
}

/** Paths of the files that a host boots, relative to the base URL. */
export interface HostPlaces {
  /** The base images with their paths for this host. */
  readonly images: BaseCatalog<ImageSet>;
  /** The path may change with the content of the artifact. */
  readonly file: (artifact: ConfigArtifact, planned: PlannedArtifacts) => string;
  /** Returns the complete URL. */
  readonly publish: PublishArchive;
}

/** The artifacts with a config, and their inputs. */
export interface PlannedArtifacts {
  readonly artifacts: readonly ConfigArtifact[];
  readonly configs: HostConfigs;
  /** Whether machines that are not listed have this config with all architectures. */
  readonly isCommon?: boolean;
  /** Undefined if no images are given. */
  readonly images: ImageSet | undefined;
  /** Kernel arguments for ISOs. */
  readonly isoArguments: readonly string[];
}

export interface HostPlan extends PlannedArtifacts {
  readonly name: string;
  readonly macs: readonly string[];
  readonly architecture: Architecture;
  /** The stream of its images; undefined for images without a stream. */
  readonly stream: string | undefined;
  readonly boot: NetworkHost;
}

/**
 * Returns undefined for an invalid host, after reporting its errors.
 * @throws CliError for an invalid host
 */
export async function planHost(
  host: InventoryHost,
  job: PlanJob,
  places: HostPlaces,
  io: Io,
): Promise<HostPlan | undefined> {
  const { archives } = job;
  const { name } = host;
  const source = hostSource(host, job.source, io);
  const chosen = places.images.size > 0 ? requireImages(source, host.architecture, places.images) : undefined;
  const images = chosen?.images;
  const known = host.architecture ?? images?.base.architecture;
  const { publish } = places;
  const configs = await archives.render({
    source,
    architecture: known,
    configs: job.wanted.configs,
    publish,
  });
  if (configs === undefined) return undefined;
  const { connections, document } = configs.fetched;
  const hasNetwork = hasKeyfiles(document);
  const artifacts = (isStatic(connections) ? job.wanted.staticConfigs : undefined) ?? job.wanted.configs;
  const wanted = { ...job.wanted, configs: artifacts };
  if (hasNetwork) job.checkAddresses?.(name, connections, source.io);
  const architecture = known ?? 'x86_64';
  const ramdisk = { artifacts, configs, images, isoArguments: [] };
  const settings = readBootSettings(
    { images, source },
    (artifact) => places.file(artifact, ramdisk),
    wanted,
    io,
  );
  const onIso = artifacts.includes('iso') ? ((await images?.base.isoKargs()) ?? []) : [];
  refuseForImage(document, { build: await images?.base.build() }, { io: source.io, options: {} });
  const kargs = [...onIso, ...kernelArguments(settings)];
  checkAgentArguments(kargs, document, source.io);
  // Boot scripts add BOOTIF.
  if (!hasNetwork && wanted.loaders.length === 0) {
    const files = new Map([[CONFIG_NAME, document]]);
    await reportImageNetwork(kargs.join(' '), files, { io: source.io, options: {} });
  }
  const isEmbedded = hasNetwork && artifacts.some((artifact) => artifact !== 'ign');
  if (!reportArguments(settings, isEmbedded, wanted, source.io)) return undefined;
  if (hasNetwork && !(await reportNetwork({ configs, images, settings }, wanted, io))) return undefined;
  const added = artifacts.filter((artifact) => !job.wanted.configs.includes(artifact));
  if (added.length > 0) {
    report(io, {
      severity: 'info',
      message: `the boot scripts of hosts with a static network load the config and the network before the initramfs starts (artifact ${added.join(', ')}): without DHCP, the initramfs cannot fetch the config`,
      hint: `${useIso(images)} if their boot loaders have no DHCP either, and boot the ISO from virtual media`,
    });
  }
  const macs = host.mac === undefined ? [] : [host.mac];
  const planned = { ...ramdisk, isoArguments: isoArguments(settings, wanted) };
  const start = startOf(architecture, settings, (artifact) => places.file(artifact, planned), wanted);
  const boot = { name, macs, start };
  if (wanted.loaders.length > 0 && !reportBoot(bootOfHost(boot, wanted), wanted, io)) return undefined;
  return {
    name,
    macs,
    architecture,
    stream: chosen?.stream,
    ...planned,
    boot,
  };
}

/** Artifacts with which a host fetches its root filesystem from the initramfs. A full ISO has it on the medium. */
const fetching: ReadonlySet<ConfigArtifact> = new Set(['archive', 'initramfs', 'minimal-iso']);

/**
 * Reports what the initramfs cannot fetch with the network of the host.
 * @returns false if an artifact cannot contain the network
 */
async function reportNetwork(
  { configs, images, settings }: Pick<HostPlan, 'configs' | 'images'> & { readonly settings: BootSettings },
  wanted: Wanted,
  io: Io,
): Promise<boolean> {
  reportFetches(configs.fetched, settings, wanted, io);
  const artifacts = wanted.configs.filter((artifact) => fetching.has(artifact));
  if (artifacts.length === 0 || (await supportsNetwork(images))) return true;
  report(io, {
    severity: 'error',
    code: 'ERR_IMAGE',
    message: `the network of the host cannot be added to ${artifacts.join(' and ')}: the initramfs of this OS image ignores keyfiles`,
    hint: `${useIso(images)}, or an image built since 2022`,
  });
  return false;
}

/** The start of a hint. A full ISO contains the root filesystem. */
function useIso(images: ImageSet | undefined): string {
  return images?.base.iso === undefined ? 'use --iso FILE and --artifacts iso' : 'use --artifacts iso';
}

function reportFetches(
  { connections, document }: HostConfigs['fetched'],
  { rootfsUrl }: BootSettings,
  { baseUrl, configs, loaders }: Wanted,
  io: Io,
): void {
  const { id: rule } = networkRules.unreachable;
  if (loaders.length > 0 && startedArtifact(configs) === 'ign' && isStatic(connections)) {
    const message =
      'the initramfs fetches the Ignition config, but it has no network: the network is in the config';
    const hint = `use --artifacts ${[...configs, 'archive', ...loaders].join(',')}`;
    report(io, { severity: 'warning', rule, message, hint });
    return;
  }
  const read = readEffectiveConfig(document);
  const rootfs = baseUrl === undefined ? undefined : parseUrl(rootfsUrl ?? '');
  const isFetching = configs.some((artifact) => fetching.has(artifact));
  const needs = [
    isFetching && rootfs !== undefined ? [{ purpose: 'root filesystem', host: urlHost(rootfs) }] : [],
    ...(read.status === 'read' ? listFetched(read.config) : []),
  ].filter((servers) => servers.length > 0);
  const problems = findReachProblems(connections, needs);
  report(
    io,
    ...withoutIgnored(
      problems.map((problem) => ({ severity: 'warning' as const, rule, ...problem })),
      io,
    ),
  );
}
