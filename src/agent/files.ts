/**
 * The files of the ramdisk besides the agent's conf: credentials for the registry, trust anchors, time servers, mirrors,
 * network, and what the user adds. Each is there only when its setting is. Modes are always written: Ignition's default
 * would let everybody on the host read a pull secret.
 */

import type { File } from '../ignition/config.ts';
import { base64DataUrl, publicMode, renderDataFile, secretMode } from '../ignition/dataFile.ts';
import { renderHardwareManagers } from './hardwareManagers.ts';
import { renderHostname, renderKeyfiles } from './hostNetwork.ts';
import type { AgentSettings } from './settings.ts';

export const confPath = '/etc/ironic-python-agent.conf';
export const authFilePath = '/etc/authfile.json';
/** On the host, where `update-ca-trust` of CoreOS picks it up. */
export const caPath = '/etc/pki/ca-trust/source/anchors/ironic-agent-ca.crt';
/** In the agent's container; beside the conf, where only `*.conf` is read as configuration. */
export const caContainerPath = '/etc/ironic-python-agent/ca.crt';

/** The files that settings of any profile may ask for, in a fixed order. */
export function renderExtraFiles(settings: AgentSettings): File[] {
  return [
    ...renderAuthFile(settings),
    ...renderTrustAnchor(settings),
    ...renderChronyServers(settings),
    ...renderRegistriesConf(settings),
    ...renderKeyfiles(settings),
    ...renderHostname(settings),
    ...renderHardwareManagers(settings),
    ...settings.files.map(renderDataFile),
  ];
}

function renderAuthFile({ pullSecret }: AgentSettings): File[] {
  if (pullSecret === undefined) return [];
  return [renderDataFile({ path: authFilePath, mode: secretMode, content: Buffer.from(pullSecret) })];
}

function renderTrustAnchor({ caCertificates }: AgentSettings): File[] {
  if (caCertificates === undefined) return [];
  return [renderDataFile({ path: caPath, mode: publicMode, content: Buffer.from(caCertificates) })];
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

/** Where podman fetches images from, e.g. mirrors without a way to the outside. */
function renderRegistriesConf({ registriesConf }: AgentSettings): File[] {
  if (registriesConf === undefined) return [];
  const content = Buffer.from(registriesConf);
  return [renderDataFile({ path: '/etc/containers/registries.conf', mode: publicMode, content })];
}
