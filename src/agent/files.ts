/**
 * The files of the ramdisk besides the agent's conf: credentials for the registry, trust anchors, time servers, host
 * name. Each is there only when its setting is. Modes are always written: Ignition's default would let everybody on the
 * host read a pull secret.
 */

import type { File } from '../ignition/config.ts';
import type { AgentSettings } from './settings.ts';

export const confPath = '/etc/ironic-python-agent.conf';
export const authFilePath = '/etc/authfile.json';
/** On the host, where `update-ca-trust` of CoreOS picks it up. */
export const caPath = '/etc/pki/ca-trust/source/anchors/ironic-agent-ca.crt';
/** In the agent's container; beside the conf, where only `*.conf` is read as configuration. */
export const caContainerPath = '/etc/ironic-python-agent/ca.crt';

export const publicMode = 0o644;
export const secretMode = 0o600;

/** The files that settings of any profile may ask for, in a fixed order. */
export function renderExtraFiles(settings: AgentSettings): File[] {
  return [
    ...renderAuthFile(settings),
    ...renderTrustAnchor(settings),
    ...renderChronyServers(settings),
    ...renderHostname(settings),
  ];
}

/** Text or bytes as a URL that holds them: always base64, which any content survives. */
export function base64DataUrl(text: string): string {
  return `data:;base64,${Buffer.from(text).toString('base64')}`;
}

function renderAuthFile({ pullSecret }: AgentSettings): File[] {
  if (pullSecret === undefined) return [];
  return [
    {
      path: authFilePath,
      overwrite: true,
      contents: { source: base64DataUrl(pullSecret) },
      mode: secretMode,
    },
  ];
}

function renderTrustAnchor({ caCertificates }: AgentSettings): File[] {
  if (caCertificates === undefined) return [];
  return [
    {
      path: caPath,
      overwrite: true,
      contents: { source: base64DataUrl(caCertificates) },
      mode: publicMode,
    },
  ];
}

/** Appended, so that the servers of the image stay; the newline before guards against a file without a final one. */
function renderChronyServers({ ntpServers }: AgentSettings): File[] {
  if (ntpServers.length === 0) return [];
  const lines = ntpServers.map((server) => `server ${server} iburst\n`).join('');
  return [
    {
      path: '/etc/chrony.conf',
      append: [{ source: base64DataUrl(`\n${lines}`) }],
      mode: publicMode,
    },
  ];
}

function renderHostname({ hostname }: AgentSettings): File[] {
  if (hostname === undefined) return [];
  return [
    {
      path: '/etc/hostname',
      overwrite: true,
      contents: { source: base64DataUrl(`${hostname}\n`) },
      mode: publicMode,
    },
  ];
}
