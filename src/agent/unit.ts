/**
 * What the systemd unit of any profile takes from the settings: its environment and flags for podman. Values are quoted
 * for systemd here, so that a `%`, a `$` or a quote arrives at podman as it was given.
 */

import { formatEnvironment, formatExecArgument } from '../formats/systemdQuoting.ts';
import { authFilePath, caContainerPath, caPath } from './files.ts';
import { proxyEnvironment } from './proxy.ts';
import type { AgentSettings } from './settings.ts';

export const unitName = 'ironic-agent.service';

/** Lines for the section [Service]; podman hands the proxy variables on to the agent's container. */
export function formatUnitEnvironment(settings: AgentSettings): string {
  return proxyEnvironment(settings)
    .map(([name, value]) => `Environment=${formatEnvironment(name, value)}\n`)
    .join('');
}

/** How the agent's image is to be fetched. */
export function formatPullFlags({ verifyRegistryTls, pullSecret }: AgentSettings): string[] {
  return [
    ...(verifyRegistryTls ? [] : ['--tls-verify=false']),
    ...(pullSecret === undefined ? [] : [`--authfile=${authFilePath}`]),
  ];
}

/** What the agent's container gets besides the mounts of the template. */
export function formatRunFlags({ caCertificates, hostname }: AgentSettings): string[] {
  return [
    ...(caCertificates === undefined
      ? []
      : ['--mount', `type=bind,src=${caPath},dst=${caContainerPath},ro=true`]),
    // For the case that the network gave no other name; the agent asks the host for it.
    ...(hostname === undefined ? [] : ['--env', formatExecArgument(`IPA_DEFAULT_HOSTNAME=${hostname}`)]),
  ];
}
