/**
 * The files of the ramdisk in addition to the agent's conf: registry credentials, trust anchors, time servers, mirrors,
 * network, and files from the user. Each is present only if its setting is. Modes are always explicit: the default of
 * Ignition would let all users of the host read a pull secret.
 */

import { quoteText } from '../core/foreignText.ts';
import type { File } from '../ignition/config.ts';
import {
  base64DataUrl,
  EXECUTABLE_MODE,
  PUBLIC_MODE,
  renderDataFile,
  SECRET_MODE,
} from '../ignition/dataFile.ts';
import { madeOf } from '../ignition/origins.ts';
import type { AgentSettings, HardwareManager } from './settings.ts';
import { readAsset } from '../core/assets.ts';
import { fillTemplate } from '../formats/template.ts';
import { FormatError } from '../core/errors.ts';

export const CONF_PATH = '/etc/ironic-python-agent.conf';
export const AUTH_FILE_PATH = '/etc/authfile.json';
/** The folder of trusted certificates on the host, which `update-ca-trust` of CoreOS reads. */
export const ANCHOR_FOLDER = '/etc/pki/ca-trust/source/anchors/';
export const CA_PATH = `${ANCHOR_FOLDER}ironic-agent-ca.crt`;
/** In the agent's container, next to the conf; the agent reads only `*.conf` there as configuration. */
export const CA_CONTAINER_PATH = '/etc/ironic-python-agent/ca.crt';

/** The files that settings of any profile may require, in a fixed order. */
export function renderExtraFiles(settings: AgentSettings): File[] {
  const { caCertificates, hardwareManagers, hostname, keyfiles, ntpServers } = settings;
  const { pullSecret, registriesConf } = settings;
  return [
    ...renderIfSet(AUTH_FILE_PATH, pullSecret, SECRET_MODE),
    ...renderIfSet(CA_PATH, caCertificates),
    ...(ntpServers.length === 0 ? [] : [renderChronyServers(ntpServers)]),
    // Image sources of podman, e.g. mirrors for a network without internet access.
    ...renderIfSet('/etc/containers/registries.conf', registriesConf),
    // NetworkManager ignores a connection that other users can read, because it may contain a password.
    ...keyfiles.flatMap((keyfile) =>
      renderIfSet(`${KEYFILE_FOLDER}/${keyfile.name}`, keyfile.text, SECRET_MODE).map((file) =>
        madeOf(file, keyfile),
      ),
    ),
    ...(hostname === undefined ? [] : renderHostname(hostname)),
    ...hardwareManagers.flatMap(renderHardwareManager),
    ...settings.files.map(renderDataFile),
  ];
}

/** Without a mode, as some upstream generators write it. */
export function renderPlainPullSecret({ pullSecret }: AgentSettings): File[] {
  return pullSecret === undefined
    ? []
    : [{ path: AUTH_FILE_PATH, contents: { source: base64DataUrl(pullSecret) } }];
}

function renderIfSet(path: string, text: string | undefined, mode = PUBLIC_MODE): File[] {
  return text === undefined ? [] : [renderDataFile({ path, mode, content: Buffer.from(text) })];
}

/** Appended to keep the servers of the image; the leading newline protects against a file without a final one. */
function renderChronyServers(servers: readonly string[]): File {
  const lines = servers.map((server) => `server ${server} iburst\n`).join('');
  return {
    path: '/etc/chrony.conf',
    append: [{ source: base64DataUrl(`\n${lines}`) }],
    mode: PUBLIC_MODE,
  };
}

export const KEYFILE_FOLDER = '/etc/NetworkManager/system-connections';

/** A fallback host name, set by a script that NetworkManager runs whenever a connection changes. */
function renderHostname(hostname: string): File[] {
  const script = fillTemplate(readAsset('templates/agent/hostname'), { hostname });
  return renderIfSet('/etc/NetworkManager/dispatcher.d/01-hostname', script, EXECUTABLE_MODE);
}

/** An installed system with the same setting keeps the DHCPv6 address of the ramdisk, because both identify by MAC. */
export function renderClientId({ files }: AgentSettings): File[] {
  const path = '/etc/NetworkManager/conf.d/clientid.conf';
  return files.some((file) => file.path === path) ? [] : renderIfSet(path, CLIENT_ID);
}

const CLIENT_ID = '[connection]\nipv6.dhcp-duid=ll\nipv6.dhcp-iaid=mac\n';

/** Keys of connections that NetworkManager treats as secrets, and its sections for secrets of plugins, e.g. of a VPN. */
const SECRET =
  /^[ \t]*(?:[a-z0-9.-]*(?:password(?:-raw)?|psk|private-key|preshared-key|wep-key\d|mka-cak|secret|pin)[ \t]*=[ \t]*\S|\[[a-z0-9-]*-secrets\])/m;

/** Whether `text` is a keyfile with a secret; `psk-flags`, the storage of a secret, does not count. */
export function hasNetworkSecret(text: string): boolean {
  return SECRET.test(text);
}

/** Location on the host, with a folder for each manager. */
const HARDWARE_MANAGER_FOLDER = '/var/lib/ironic-python-agent/hardware-managers';
const CONTAINER_FOLDER = '/usr/local/lib/ironic-python-agent/hardware-managers';

export function renderHardwareManager({ name, files }: HardwareManager): File[] {
  return files.map((file) => {
    return renderDataFile({ ...file, path: `${HARDWARE_MANAGER_FOLDER}/${name}/${file.path}` });
  });
}

/** Values of podman's `--mount` and `--env` for the hardware managers. */
export function hardwareManagerFlags(managers: readonly HardwareManager[]): string[] {
  const folders = managers.map(({ name }) => `${CONTAINER_FOLDER}/${name}`);
  return [
    '--mount',
    `type=bind,src=${HARDWARE_MANAGER_FOLDER},dst=${CONTAINER_FOLDER},ro=true`,
    '--env',
    `PYTHONPATH=${folders.join(':')}`,
  ];
}

/** Throws FormatError without a subject if the agent would find no hardware manager in the folder. */
export function checkHardwareManager({ name, files }: HardwareManager): void {
  if (!/^[A-Za-z0-9][A-Za-z0-9._-]*$/.test(name)) {
    throw new FormatError(`has a name that is invalid in a module path: ${quoteText(name)}`, {
      hint: 'rename the folder with letters, digits, "_" and "-"',
    });
  }
  const isAnnounced = files.some(({ path }) => /^[^/]+\.dist-info\/entry_points\.txt$/.test(path));
  if (isAnnounced) return;
  throw new FormatError('does not contain NAME.dist-info/entry_points.txt', {
    hint: 'add a module and NAME.dist-info/entry_points.txt with a section [ironic_python_agent.hardware_managers] to the folder',
  });
}
