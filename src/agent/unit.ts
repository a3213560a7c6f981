/**
 * Environment and podman flags of the agent's unit in all profiles. Values are quoted for systemd, so that podman receives
 * a `%`, a `$` or a quote unchanged.
 */

import type { Unit } from '../ignition/config.ts';
import { madeOf } from '../ignition/origins.ts';
import { readAsset } from '../core/assets.ts';
import { fillTemplate } from '../formats/template.ts';
import { renderConsoleUnits } from './login.ts';
import { formatEnvironment, formatExecArgument } from '../formats/systemdQuoting.ts';
import { AUTH_FILE_PATH, CA_CONTAINER_PATH, CA_PATH, hardwareManagerFlags } from './files.ts';
import { renderIgnitionProxy } from './proxy.ts';
import type { AgentSettings } from './settings.ts';

export const UNIT_NAME = 'ironic-agent.service';

export function renderAgentUnit(template: string, values: Readonly<Record<string, string>>): Unit {
  const contents = fillTemplate(readAsset(`templates/agent/${template}.service`), values);
  return { contents, enabled: true, name: UNIT_NAME };
}

/** Lines for the section [Service] with the variables that podman reads, and passes to the agent's container. */
export function formatUnitEnvironment(settings: AgentSettings): string {
  const { httpProxy, httpsProxy, noProxy } = renderIgnitionProxy(settings) ?? {};
  const variables = {
    HTTP_PROXY: httpProxy,
    HTTPS_PROXY: httpsProxy,
    NO_PROXY: noProxy && joinHosts(noProxy),
  };
  return Object.entries(variables)
    .map(([name, value]) => (value === undefined ? '' : `Environment=${formatEnvironment(name, value)}\n`))
    .join('')
    .replaceAll(/([^\n]{1000}[^\n ]*) /g, '$1\\\n    ');
}

/** Ignition does not support lines of more than 2 KiB. A long list has blanks, which programs ignore, where its line may end. */
function joinHosts(hosts: readonly string[]): string {
  const list = hosts.join(',');
  return list.length < 1500 ? list : hosts.join(', ');
}

export function formatPullFlags({ verifyRegistryTls, pullSecret, pullArgs }: AgentSettings): string[] {
  return [
    ...(verifyRegistryTls ? [] : ['--tls-verify=false']),
    ...(pullSecret === undefined ? [] : [`--authfile=${AUTH_FILE_PATH}`]),
    ...pullArgs.map(formatExecArgument),
  ];
}

/**
 * Flags of the agent's container in addition to the mounts of the template, after those of `pullFlags`. Each is followed
 * by a blank, so that an empty list leaves no gap.
 */
export function formatRunFlags(settings: AgentSettings, pullFlags: readonly string[] = []): string {
  const { caCertificates, copyNetwork, debug, hardwareManagers, hostname, installIpOptions } = settings;
  const flags = [
    ...pullFlags,
    ...(caCertificates === undefined
      ? []
      : ['--mount', `type=bind,src=${CA_PATH},dst=${CA_CONTAINER_PATH},ro=true`]),
    ...(installIpOptions === undefined ? [] : envFlag('IPA_COREOS_IP_OPTIONS', installIpOptions)),
    ...(copyNetwork === undefined ? [] : envFlag('IPA_COREOS_COPY_NETWORK', String(copyNetwork))),
    // Fallback if the network provides no name; the agent reads the name of the host.
    ...(hostname === undefined ? [] : envFlag('IPA_DEFAULT_HOSTNAME', hostname)),
    ...(hardwareManagers.length === 0 ? [] : hardwareManagerFlags(hardwareManagers).map(formatExecArgument)),
    ...(debug ? ['--log-driver=journald'] : []),
  ];
  return [...flags, ''].join(' ');
}

/** The user's flags, one per line: Ignition does not support lines of more than 2 KiB. */
export function formatUserFlags({ podmanArgs }: AgentSettings): string {
  if (podmanArgs.length === 0) return '';
  const lines = podmanArgs.map((arg) => `\\\n    ${formatExecArgument(arg)} `);
  return `${lines.join('')}\\\n    `;
}

function envFlag(name: string, value: string): string[] {
  return ['--env', formatExecArgument(`${name}=${value}`)];
}

/** Units other than that of the agent: consoles, and units from the user. */
export function renderExtraUnits(settings: AgentSettings): Unit[] {
  const own = settings.units.map((unit) =>
    madeOf({ contents: unit.text, enabled: true, name: unit.name }, unit),
  );
  return [...renderConsoleUnits(settings), ...own];
}
