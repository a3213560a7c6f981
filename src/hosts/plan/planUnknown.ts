/** What machines boot that no inventory lists: one config for all of them, and an inspection for each architecture. */

import type { AgentSettings } from '../../agent/settings.ts';
import type { BootSettings } from '../../boot/bootSettings.ts';
import type { Architecture } from '../../core/architecture.ts';
import { withDiscoveryParameters } from '../../boot/discovery.ts';
import type { RamdiskBoot } from '../../boot/network/networkBoot.ts';
import { CliError } from '../../core/errors.ts';
import type { Io } from '../../io/io.ts';
import { type ConfigArtifact, startedArtifact } from '../artifacts/artifacts.ts';
import { isoArguments, readBootSettings } from './hostBoot.ts';
import type { HostConfigs, PublishArchive } from './agentArchives.ts';
import type { ImageSet } from '../artifacts/baseImages.ts';
import { createSettingsReader, readInputs } from '../settings/settings.ts';
import type { PlanJob } from './planHost.ts';

/** For each architecture that there are images of; one without images where there are none. */
export interface UnknownPlan {
  readonly images: ImageSet | undefined;
  readonly configs: HostConfigs;
  /** What is different for no architecture: all have this config in common. */
  readonly isCommon: boolean;
  /** Kernel arguments of ISOs. */
  readonly isoArguments: readonly string[];
  /** What scripts start; undefined where a firmware has to be given an image instead. */
  readonly start: RamdiskBoot | undefined;
}

/** Where such a machine finds what it boots, as paths below the URL of the folder. */
export interface UnknownPlaces {
  readonly images: ReadonlyMap<Architecture, ImageSet>;
  /** @param isCommon whether configs are the same for all architectures */
  file(artifact: ConfigArtifact, set: ImageSet | undefined, isCommon: boolean): string;
  /** Gives the whole URL. */
  readonly publish: PublishArchive;
}

/** @throws CliError where what is said of all hosts does not give a config */
export async function planUnknown(
  { places, ...job }: PlanJob & { readonly places: UnknownPlaces },
  io: Io,
): Promise<UnknownPlan[]> {
  const { layers, wanted } = job;
  const sets = places.images.size === 0 ? [undefined] : [...places.images.values()];
  const rendered = await renderAll(sets, { places, ...job });
  // Archives of the agent's image make it another one for each architecture.
  const isCommon = new Set(rendered.map(({ configs }) => configs.fetched.document.toString())).size === 1;
  // An ISO is started by the firmware, and that of an unknown machine asks for a script.
  const started = startedArtifact(wanted.configs);
  const isScripted = started !== 'iso' && started !== 'minimal-iso';
  const agent = await readAgent(job);
  return rendered.map(({ images, configs }) => {
    const architecture = images?.architecture ?? 'x86_64';
    const pathOf = (artifact: ConfigArtifact): string => places.file(artifact, images, isCommon);
    const settings = readBootSettings({ architecture, images, layers, pathOf }, wanted, io);
    const start: RamdiskBoot | undefined =
      images !== undefined && isScripted
        ? { kind: 'ramdisk', architecture, settings: withCallback(settings, agent) }
        : undefined;
    return { images, configs, isCommon, isoArguments: isoArguments(settings), start };
  });
}

async function renderAll(
  sets: readonly (ImageSet | undefined)[],
  { archives, places, source }: PlanJob & { readonly places: UnknownPlaces },
): Promise<Pick<UnknownPlan, 'images' | 'configs'>[]> {
  const rendered: Pick<UnknownPlan, 'images' | 'configs'>[] = [];
  for (const images of sets) {
    const { publish } = places;
    const configs = await archives.render(source, { architecture: images?.architecture, publish });
    if (configs === undefined) {
      throw new CliError('There is no config for machines that are not listed', {
        code: 'ERR_SETTING',
        hint: 'mend what is reported above, or leave --discovery out',
      });
    }
    rendered.push({ images, configs });
  }
  return rendered;
}

/** Its warnings came with the config. */
async function readAgent({ source }: Pick<PlanJob, 'source'>): Promise<AgentSettings> {
  return createSettingsReader()(source, readInputs(source), () => undefined);
}

/** Of the agent's configuration only what an inspection starts with; all the rest is in its config. */
function withCallback(settings: BootSettings, agent: AgentSettings): BootSettings {
  const { apiUrls, callbackUrls, debug, verifyIronicTls } = agent;
  const apiUrl = apiUrls.find((url) => url !== 'mdns');
  const callbackUrl =
    callbackUrls[0] ?? (apiUrl === undefined ? undefined : `${apiUrl}/v1/continue_inspection`);
  if (callbackUrl === undefined) return settings;
  return withDiscoveryParameters(settings, {
    callbackUrl,
    ...(apiUrl !== undefined && { apiUrl }),
    collectors: [],
    vlanInterfaces: [],
    dhcpAllInterfaces: true,
    collectLldp: true,
    insecure: !verifyIronicTls,
    debug,
  });
}
