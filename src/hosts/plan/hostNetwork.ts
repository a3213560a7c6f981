/** Whether the initramfs of a host has its network, and reaches the servers from which it boots. */

import { hasKeyfiles } from '../../agent/hostNetwork.ts';
import { networkRules } from '../../agent/lint/network.ts';
import { urlHost } from '../../agent/machineAddress.ts';
import type { BootSettings } from '../../boot/bootSettings.ts';
import type { Io } from '../../io/io.ts';
import { report } from '../../io/report/report.ts';
import type { Connection } from '../../network/connection.ts';
import { findReachProblem, isStatic } from '../../network/reachability.ts';
import { type ConfigArtifact, startedArtifact, type Wanted } from '../artifacts/artifacts.ts';
import { type ImageSet, supportsNetwork } from '../artifacts/baseImages.ts';
import type { HostConfigs } from './agentArchives.ts';

/** Artifacts with which a host fetches its root filesystem from the initramfs. A full ISO has it on the medium. */
const fetching: ReadonlySet<ConfigArtifact> = new Set(['archive', 'initramfs', 'minimal-iso']);

interface PlannedNetwork {
  readonly configs: HostConfigs;
  readonly images: ImageSet | undefined;
  readonly settings: BootSettings;
}

/**
 * Reports what the initramfs cannot fetch with the network of the host.
 * @returns false if an artifact cannot contain the network
 */
export async function reportNetwork(
  { configs, images, settings }: PlannedNetwork,
  wanted: Pick<Wanted, 'configs' | 'baseUrl' | 'loaders'>,
  io: Io,
): Promise<boolean> {
  const { connections, document } = configs.fetched;
  if (!hasKeyfiles(document)) return true;
  reportFetches(connections, settings, wanted, io);
  const artifacts = wanted.configs.filter((artifact) => fetching.has(artifact));
  if (artifacts.length === 0 || (await supportsNetwork(images))) return true;
  report(io, {
    severity: 'error',
    code: 'ERR_IMAGE',
    message: `the network of the host cannot be added to ${artifacts.join(' and ')}: the initramfs of this OS image ignores keyfiles`,
    hint: 'use --artifacts iso, or an image built since 2022',
  });
  return false;
}

function reportFetches(
  connections: readonly Connection[],
  { rootfsUrl }: BootSettings,
  { baseUrl, configs, loaders }: Pick<Wanted, 'configs' | 'baseUrl' | 'loaders'>,
  io: Io,
): void {
  const { id: rule } = networkRules.unreachable;
  if (loaders.length > 0 && startedArtifact(configs) === 'ign' && isStatic(connections)) {
    const message =
      'the initramfs fetches the Ignition config, but it has no network: the network is in the config';
    const hint = 'use --artifacts with initramfs, archive, minimal-iso or iso for this host';
    report(io, { severity: 'warning', rule, message, hint });
    return;
  }
  if (rootfsUrl === undefined || baseUrl === undefined || !configs.some((artifact) => fetching.has(artifact)))
    return;
  const problem = URL.canParse(rootfsUrl) ? findReachProblem(connections, urlHost(rootfsUrl)) : undefined;
  if (problem === undefined) return;
  const { hint, message } = problem;
  report(io, { severity: 'warning', rule, message: `the root filesystem at ${baseUrl}: ${message}`, hint });
}
