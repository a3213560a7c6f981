/** The network of the ramdisk: connections that NetworkManager finds on boot, and the name that the host goes by. */

import { readAsset } from '../assets.ts';
import { fillTemplate } from '../formats/template.ts';
import type { File } from '../ignition/config.ts';
import { executableMode, publicMode, renderDataFile, secretMode } from '../ignition/dataFile.ts';
import type { AgentSettings } from './settings.ts';

export const keyfileFolder = '/etc/NetworkManager/system-connections';

/** NetworkManager ignores a connection that others can read: it may hold a password. */
export function renderKeyfiles({ keyfiles }: AgentSettings): File[] {
  return keyfiles.map(({ name, text }) =>
    renderDataFile({ path: `${keyfileFolder}/${name}`, mode: secretMode, content: Buffer.from(text) }),
  );
}

/** A name for when the network gives none, as a script that NetworkManager runs whenever a connection changes. */
export function renderHostname({ hostname }: AgentSettings): File[] {
  if (hostname === undefined) return [];
  const script = fillTemplate(readAsset('templates/agent/hostname'), { hostname });
  const path = '/etc/NetworkManager/dispatcher.d/01-hostname';
  return [renderDataFile({ path, mode: executableMode, content: Buffer.from(script) })];
}

/** An installed system that is asked to do the same keeps the DHCPv6 address of the ramdisk: both are known by the MAC. */
export function renderClientId({ files }: AgentSettings): File[] {
  const path = '/etc/NetworkManager/conf.d/clientid.conf';
  if (files.some((file) => file.path === path)) return [];
  return [renderDataFile({ path, mode: publicMode, content: Buffer.from(clientId) })];
}

const clientId = '[connection]\nipv6.dhcp-duid=ll\nipv6.dhcp-iaid=mac\n';

/** Keys of connections that NetworkManager treats as secrets, and its sections for those of plugins, e.g. of a VPN. */
const SECRET =
  /^[ \t]*(?:[a-z0-9.-]*(?:password|psk|private-key|preshared-key|wep-key\d|mka-cak|secret|pin)[ \t]*=[ \t]*\S|\[[a-z0-9-]*-secrets\])/m;

/** Whether `text` is a keyfile with a secret; what says only where a secret is kept (`psk-flags`) is none. */
export function hasNetworkSecret(text: string): boolean {
  return SECRET.test(text);
}
