/** Whether the network of a host reaches the initramfs, which fetches the root filesystem. */

import { hasKeyfiles } from '../../agent/hostNetwork.ts';
import type { Io } from '../../io/io.ts';
import { report } from '../../io/report/report.ts';
import type { ConfigArtifact, Wanted } from '../artifacts/artifacts.ts';
import { type ImageSet, supportsNetwork } from '../artifacts/baseImages.ts';
import type { HostConfigs } from './agentArchives.ts';

/** Artifacts with which a host fetches its root filesystem from the initramfs. A full ISO has it on the medium. */
const fetching: ReadonlySet<ConfigArtifact> = new Set(['archive', 'initramfs', 'minimal-iso']);

/**
 * Reports artifacts that cannot contain the network of the host.
 * @returns false if there are such artifacts
 */
export async function reportNetwork(
  { configs, images }: { readonly configs: HostConfigs; readonly images: ImageSet | undefined },
  wanted: Pick<Wanted, 'configs'>,
  io: Io,
): Promise<boolean> {
  const artifacts = wanted.configs.filter((artifact) => fetching.has(artifact));
  if (artifacts.length === 0 || !hasKeyfiles(configs.fetched.document)) return true;
  if (await supportsNetwork(images)) return true;
  report(io, {
    severity: 'error',
    code: 'ERR_IMAGE',
    message: `this OS image does not support network settings in the initramfs, which ${artifacts.join(' and ')} require`,
    hint: 'use --artifacts iso, or a newer image, or DHCP for this host',
  });
  return false;
}
