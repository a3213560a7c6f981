/**
 * The files of the ramdisk in addition to the agent's conf: registry credentials, trust anchors, time servers, mirrors,
 * network, and files from the user. Each is present only if its setting is. Modes are always explicit: the default of
 * Ignition would let all users of the host read a pull secret.
 */

import { quoteText } from '../core/foreignText.ts';
import type { File } from '../ignition/config.ts';
import {
  base64DataUrl,
  executableMode,
  publicMode,
  renderDataFile,
  secretMode,
} from '../ignition/dataFile.ts';
import type { AgentSettings, HardwareManager } from './settings.ts';
import { readAsset } from '../core/assets.ts';
import { fillTemplate } from '../formats/template.ts';
import { FormatError } from '../core/errors.ts';

export const confPath = '/etc/ironic-python-agent.conf';
export const authFilePath = '/etc/authfile.json';
/** The folder of trusted certificates on the host, which `update-ca-trust` of CoreOS reads. */
export const anchorFolder = '/etc/pki/ca-trust/source/anchors/';
export const caPath = `${anchorFolder}ironic-agent-ca.crt`;
/** In the agent's container, next to the conf; the agent reads only `*.conf` there as configuration. */
export const caContainerPath = '/etc/ironic-python-agent/ca.crt';

/** The files that settings of any profile may require, in a fixed order. */
export function renderExtraFiles(settings: AgentSettings): File[] {
  const { caCertificates, hardwareManagers, hostname, keyfiles, ntpServers } = settings;
  const { pullSecret, registriesConf } = settings;
  return [
    ...renderIfSet(authFilePath, pullSecret, secretMode),
    ...renderIfSet(caPath, caCertificates),
    ...(ntpServers.length === 0 ? [] : [renderChronyServers(ntpServers)]),
    // Image sources of podman, e.g. mirrors for a network without internet access.
    ...renderIfSet('/etc/containers/registries.conf', registriesConf),
    // NetworkManager ignores a connection that other users can read, because it may contain a password.
    ...keyfiles.flatMap(({ name, text }) => renderIfSet(`${keyfileFolder}/${name}`, text, secretMode)),
    ...(hostname === undefined ? [] : renderHostname(hostname)),
    ...hardwareManagers.flatMap(renderHardwareManager),
    ...settings.files.map(renderDataFile),
  ];
}

/** Without a mode, as some upstream generators write it. */
export function renderPlainPullSecret({ pullSecret }: AgentSettings): File[] {
  return pullSecret === undefined
    ? []
    : [{ path: authFilePath, contents: { source: base64DataUrl(pullSecret) } }];
}

function renderIfSet(path: string, text: string | undefined, mode = publicMode): File[] {
  return text === undefined ? [] : [renderDataFile({ path, mode, content: Buffer.from(text) })];
}

/** Appended to keep the servers of the image; the leading newline protects against a file without a final one. */
function renderChronyServers(servers: readonly string[]): File {
  const lines = servers.map((server) => `server ${server} iburst\n`).join('');
  return {
    path: '/etc/chrony.conf',
    append: [{ source: base64DataUrl(`\n${lines}`) }],
    mode: publicMode,
  };
}

export const keyfileFolder = '/etc/NetworkManager/system-connections';

/** A fallback host name, set by a script that NetworkManager runs whenever a connection changes. */
function renderHostname(hostname: string): File[] {
  const script = fillTemplate(readAsset('templates/agent/hostname'), { hostname });
  return renderIfSet('/etc/NetworkManager/dispatcher.d/01-hostname', script, executableMode);
}

/** An installed system with the same setting keeps the DHCPv6 address of the ramdisk, because both identify by MAC. */
export function renderClientId({ files }: AgentSettings): File[] {
  const path = '/etc/NetworkManager/conf.d/clientid.conf';
  return files.some((file) => file.path === path) ? [] : renderIfSet(path, clientId);
}

const clientId = '[connection]\nipv6.dhcp-duid=ll\nipv6.dhcp-iaid=mac\n';

/** Keys of connections that NetworkManager treats as secrets, and its sections for secrets of plugins, e.g. of a VPN. */
const SECRET =
  /^[ \t]*(?:[a-z0-9.-]*(?:password|psk|private-key|preshared-key|wep-key\d|mka-cak|secret|pin)[ \t]*=[ \t]*\S|\[[a-z0-9-]*-secrets\])/m;

/** Whether `text` is a keyfile with a secret; `psk-flags`, the storage of a secret, does not count. */
export function hasNetworkSecret(text: string): boolean {
  return SECRET.test(text);
}

/** Location on the host, with a folder for each manager. */
export const hardwareManagerFolder = '/var/lib/ironic-python-agent/hardware-managers';
const containerFolder = '/usr/local/lib/ironic-python-agent/hardware-managers';
const entryPointGroup = 'ironic_python_agent.hardware_managers';
const hint = `add a module and NAME.dist-info/entry_points.txt with a section [${entryPointGroup}] to the folder`;

export function renderHardwareManager({ name, files }: HardwareManager): File[] {
  return files.map((file) => {
    return renderDataFile({ ...file, path: `${hardwareManagerFolder}/${name}/${file.path}` });
  });
}

/** Values of podman's `--mount` and `--env` for the hardware managers. */
export function hardwareManagerFlags(managers: readonly HardwareManager[]): string[] {
  const folders = managers.map(({ name }) => `${containerFolder}/${name}`);
  return [
    '--mount',
    `type=bind,src=${hardwareManagerFolder},dst=${containerFolder},ro=true`,
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
  const announcements = files.filter(({ path }) => /^[^/]+\.dist-info\/entry_points\.txt$/.test(path));
  if (announcements.length === 0)
    throw new FormatError('does not contain NAME.dist-info/entry_points.txt', { hint });
  const modules = announcements.flatMap(({ content }) => readEntryPoints(Buffer.from(content).toString()));
  if (modules.length === 0) {
    throw new FormatError(`declares no hardware manager: no entry point in [${entryPointGroup}]`, { hint });
  }
  const paths = new Set(files.map(({ path }) => path));
  const missing = modules.find((module) => !isModule(module, paths));
  if (missing === undefined) return;
  throw new FormatError(`declares the module ${quoteText(missing)}, but does not contain it`, { hint });
}

/** The modules in the lines `name = module:Class` of the group. */
function readEntryPoints(text: string): string[] {
  const modules: string[] = [];
  let section = '';
  for (const line of text.split(/\r?\n/).map((written) => written.trim())) {
    if (line.startsWith('[') && line.endsWith(']')) section = line.slice(1, -1).trim();
    else if (section === entryPointGroup && !line.startsWith('#')) {
      const module = /^[^=]+=\s*([A-Za-z_][\w.]*)\s*(?::|$)/.exec(line)?.[1];
      if (module !== undefined) modules.push(module);
    }
  }
  return modules;
}

function isModule(module: string, paths: ReadonlySet<string>): boolean {
  const path = module.replaceAll('.', '/');
  return paths.has(`${path}.py`) || paths.has(`${path}/__init__.py`);
}
