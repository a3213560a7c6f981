/**
 * The files of the ramdisk besides the agent's conf: credentials for the registry, trust anchors, time servers, mirrors,
 * network, and what the user adds. Each is there only when its setting is. Modes are always written: Ignition's default
 * would let everybody on the host read a pull secret.
 */

import type { File } from '../ignition/config.ts';
import {
  base64DataUrl,
  executableMode,
  publicMode,
  renderDataFile,
  secretMode,
} from '../ignition/dataFile.ts';
import type { AgentSettings, HardwareManager } from './settings.ts';
import { readAsset } from '../assets.ts';
import { fillTemplate } from '../formats/template.ts';
import { FormatError } from '../core/errors.ts';

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

export const keyfileFolder = '/etc/NetworkManager/system-connections';

/** NetworkManager ignores a connection that others can read: it may hold a password. */
function renderKeyfiles({ keyfiles }: AgentSettings): File[] {
  return keyfiles.map(({ name, text }) =>
    renderDataFile({ path: `${keyfileFolder}/${name}`, mode: secretMode, content: Buffer.from(text) }),
  );
}

/** A name for when the network gives none, as a script that NetworkManager runs whenever a connection changes. */
function renderHostname({ hostname }: AgentSettings): File[] {
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

/** Where they lie on the host, each in a folder of its own. */
export const hardwareManagerFolder = '/var/lib/ironic-python-agent/hardware-managers';
const containerFolder = '/usr/local/lib/ironic-python-agent/hardware-managers';
const entryPointGroup = 'ironic_python_agent.hardware_managers';
const hint = `the folder needs a module and NAME.dist-info/entry_points.txt with a section [${entryPointGroup}]`;

export function renderHardwareManagers({ hardwareManagers }: AgentSettings): File[] {
  return hardwareManagers.flatMap(({ name, files }) =>
    files.map((file) => renderDataFile({ ...file, path: `${hardwareManagerFolder}/${name}/${file.path}` })),
  );
}

/** Values of podman's `--mount` and `--env` for them. */
export function hardwareManagerFlags({ hardwareManagers }: AgentSettings): string[] {
  if (hardwareManagers.length === 0) return [];
  const folders = hardwareManagers.map(({ name }) => `${containerFolder}/${name}`);
  return [
    '--mount',
    `type=bind,src=${hardwareManagerFolder},dst=${containerFolder},ro=true`,
    '--env',
    `PYTHONPATH=${folders.join(':')}`,
  ];
}

/** Throws FormatError, without a subject, where the agent would find no hardware manager in the folder. */
export function checkHardwareManager({ name, files }: HardwareManager): void {
  if (!/^[A-Za-z0-9][A-Za-z0-9._-]*$/.test(name)) {
    throw new FormatError(`has a name that cannot be a part of a module path: ${JSON.stringify(name)}`, {
      hint: 'name the folder with letters, digits, "_" and "-"',
    });
  }
  const announcements = files.filter(({ path }) => /^[^/]+\.dist-info\/entry_points\.txt$/.test(path));
  if (announcements.length === 0)
    throw new FormatError('has no NAME.dist-info/entry_points.txt in it', { hint });
  const modules = announcements.flatMap(({ content }) => readEntryPoints(Buffer.from(content).toString()));
  if (modules.length === 0) {
    throw new FormatError(`announces no hardware manager: no entry point in [${entryPointGroup}]`, { hint });
  }
  const paths = new Set(files.map(({ path }) => path));
  const missing = modules.find((module) => !isModule(module, paths));
  if (missing === undefined) return;
  throw new FormatError(`announces the module ${JSON.stringify(missing)}, which is not in it`, { hint });
}

/** The modules that the group's lines `name = module:Class` refer to. */
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
