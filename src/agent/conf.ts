/**
 * ironic-python-agent.conf, the one file that the agent in its container reads besides the defaults of its image. Only
 * what the settings say is written; the image's own defaults stay in force for the rest.
 */

import {
  escapeInterpolation,
  formatOsloConfig,
  mergeOsloConfig,
  type OsloDocument,
  type OsloOption,
  parseOsloConfig,
} from '../formats/osloConfig.ts';
import { caContainerPath } from './files.ts';
import { findIpaOption } from '../ipa/ipaOptions.ts';
import type { AgentSettings } from './settings.ts';

const section = 'DEFAULT';

/** The conf of this program's own profile: settings, then the user's conf, then single lines; the later wins. */
export function formatDefaultConf(settings: AgentSettings): string {
  return formatLayeredConf(generatedConf(settings), settings);
}

/** A conf that a profile generates, under the user's conf and the option lines. */
export function formatLayeredConf(generated: OsloDocument, settings: AgentSettings): string {
  const layers = [
    generated,
    parseOsloConfig(settings.userConf ?? '').document,
    parseOsloConfig(formatOptionLines(settings.optionLines)).document,
  ];
  return formatOsloConfig(layers.reduce(mergeOsloConfig));
}

/** Raw option lines as a conf of their own: each stands one line below its place in the list. */
export function formatOptionLines(lines: readonly string[]): string {
  return [`[${section}]`, ...lines].map((line) => `${line}\n`).join('');
}

/** Names of the options in a conf whose values are secrets, each once. */
export function listSensitiveOptions(conf: string): string[] {
  const names = parseOsloConfig(conf).document.entries.flatMap((entry) => {
    if (entry.kind !== 'option') return [];
    const match = findIpaOption(entry.section, entry.name);
    return match?.option.sensitive === true ? [match.option.name] : [];
  });
  return [...new Set(names)];
}

type NamedValue = readonly [name: string, value: string];

/** The options that extra settings of any profile stand for. */
export function extraOptions(settings: AgentSettings): NamedValue[] {
  const { caCertificates, debug, ntpServers, vlanInterfaces } = settings;
  return [
    ...(caCertificates === undefined ? [] : [['cafile', caContainerPath] as const]),
    ...(vlanInterfaces === undefined ? [] : [['enable_vlan_interfaces', vlanInterfaces] as const]),
    // The agent takes one server only; chrony on the host knows them all.
    ...ntpServers.slice(0, 1).map((server) => ['ntp_server', server] as const),
    // The image may log to a file alone, which nobody can read when the agent does not come up.
    ...(debug ? [['debug', 'True'] as const, ['use_stderr', 'True'] as const] : []),
  ];
}

function generatedConf(settings: AgentSettings): OsloDocument {
  const options = [...ironicOptions(settings), ...extraOptions(settings)];
  const entries = options.map(([name, value]): OsloOption => ({
    kind: 'option',
    section,
    name,
    value: escapeInterpolation(value),
  }));
  return { entries: [{ kind: 'section', name: section }, ...entries] };
}

/** Without an address the agent serves its API and looks for nobody. */
function ironicOptions({ apiUrls, callbackUrls, verifyIronicTls }: AgentSettings): NamedValue[] {
  if (apiUrls.length === 0) return [];
  return [
    ['api_url', apiUrls.join(',')],
    ...(callbackUrls.length === 0 ? [] : [['inspection_callback_url', callbackUrls.join(',')] as const]),
    // Without collectors the agent does not inspect; not every image sets them.
    ['inspection_collectors', 'default,logs'],
    ...(verifyIronicTls ? [] : [['insecure', 'True'] as const]),
  ];
}
