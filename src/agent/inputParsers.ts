/**
 * Parses the text of an input to a setting, by profile: profiles of upstream generators parse like those. All functions
 * throw FormatError without a subject; for URLs they throw UsageError with the whole message.
 */

import { quoteText } from '../core/foreignText.ts';
import { FormatError, UsageError } from '../core/errors.ts';
import { machineNameProblem } from '../formats/hostName.ts';
import { checkImageReference } from '../formats/imageReference.ts';
import { nearestName } from '../core/nearestNames.ts';
import { splitAuthorizedKeys } from '../formats/sshKey.ts';
import { findBareRegistry } from './imageSource.ts';
import {
  checkApiUrls,
  formatIronicUrl,
  parseInspectorUrls,
  parseIronicUrl,
  type UrlSource,
} from './ironicUrl.ts';
import {
  checkIccHostname,
  checkIccImage,
  checkIccValue,
  checkTimeServerNames,
  DEFAULT_HINT,
  iccVlanInterfaces,
  parseEncodedPullSecret,
  parseIccApiUrls,
  parseIccInspectorUrls,
  parseIccNtpServers,
  parseSingleSshKey,
  refuseCharacter,
} from './profiles/icc.ts';
import { parseNoProxy, parseProxyUrl, splitList } from './proxy.ts';
import { parsePullSecret } from './pullSecret.ts';
import type { ProfileName } from './settings.ts';

export type InputParsers = Readonly<typeof ownParsers>;

const ownParsers = {
  apiUrls: checkApiUrls,
  /** Converts base URLs of ironic-inspector to URLs for inspection data. */
  inspectorUrls: parseInspectorUrls,
  image: checkAgentImage,
  /** Parses the value of an environment variable; files are parsed in the same way for all profiles. */
  pullSecret: parsePullSecret,
  /** Arguments of `podman pull`. */
  pullArgs: (text: string) => text.split(/\s+/).filter((word) => word !== ''),
  proxyUrl: parseProxyUrl,
  noProxy: parseNoProxy,
  ntpServers: parseNtpServers,
  hostname: checkHostname,
  installIpOptions: checkKernelArgument,
  sshKeys: splitAuthorizedKeys,
  vlanInterfaces: parseVlanInterfaces,
};

const iccParsers: InputParsers = {
  ...ownParsers,
  apiUrls: parseIccApiUrls,
  inspectorUrls: parseIccInspectorUrls,
  image: checkIccImage,
  pullSecret: parseEncodedPullSecret,
  proxyUrl: checkIccValue,
  noProxy: (text) => checkIccValue(text).split(','), // not trimmed
  ntpServers: parseIccNtpServers,
  hostname: checkIccHostname,
  installIpOptions: checkIccValue,
  sshKeys: parseSingleSshKey,
  vlanInterfaces: iccVlanInterfaces,
};

export const inputParsers: Readonly<Record<ProfileName, InputParsers>> = {
  default: ownParsers,
  buildpy: ownParsers,
  icc: iccParsers,
  assisted: iccParsers,
  'configure-coreos-ipa': {
    ...ownParsers,
    apiUrls: parseScriptUrl,
    image: checkImageReference,
    pullSecret: parseEncodedPullSecret,
    pullArgs: parseScriptFlags,
    sshKeys: parseSingleSshKey,
    vlanInterfaces: parseScriptVlans,
  },
};

/** A host alone is refused, because podman would parse it as an image name that no registry contains. */
function checkAgentImage(text: string): string {
  const bare = findBareRegistry(checkImageReference(text));
  if (bare?.isCertain !== true) return text;
  throw new FormatError(`is the registry ${quoteText(text)} without an image`, { hint: bare.hint });
}

function checkHostname(text: string): string {
  const problem = machineNameProblem(text);
  if (problem === undefined) return text;
  throw new FormatError(`is not a valid host name: ${problem}`, {
    hint: 'use a name such as worker-0.example.com',
  });
}

/** A single argument, which coreos-installer adds to the command line of the boot loader. */
function checkKernelArgument(text: string): string {
  if (/^[!#-~]+(?: [!#-~]+)*$/.test(text)) return text;
  throw new FormatError('is not a kernel argument', {
    hint: 'use an argument such as ip=dhcp6; quotes are not supported',
  });
}

/** One or more servers, separated by commas. Throws FormatError without a subject. */
function parseNtpServers(text: string): string[] {
  const hint = 'use names or addresses, such as pool.ntp.org or 192.0.2.1';
  const servers = checkTimeServerNames(splitList(text), hint);
  if (servers.length === 0)
    throw new FormatError('contains no server', { hint: 'remove the option to set no server' });
  return servers;
}

/** A single base URL without a path. The script appends the port; ironic-image of today sets a URL with it. */
function parseScriptUrl(text: string, { flag, defaultPort }: UrlSource): readonly string[] {
  const url = parseIronicUrl(text);
  if ('message' in url) throw new UsageError(`${flag}: ${url.message}`, { hint: url.hint });
  if (url.path !== '') {
    throw new UsageError(
      `${flag}: the URL must not contain a path, because configure-coreos-ipa appends paths`,
      {
        hint: 'remove the path, or use the default profile',
      },
    );
  }
  return [formatIronicUrl({ ...url, port: url.port ?? defaultPort })];
}

/** Arguments of `podman pull`; the script writes them to JSON and a unit without escaping. */
function parseScriptFlags(text: string): string[] {
  const end = 'which the script writes to the unit without escaping';
  const plain = refuseCharacter(text, /["'%$\\;\p{Cc}]/u, end, DEFAULT_HINT);
  return plain.split(' ').filter((word) => word !== '');
}

/** The value of the agent's option for VLANs: `all`, interfaces, or empty for none. */
function parseScriptVlans(text: string): string {
  if (!/[\p{Cc}]/u.test(text.trim())) return text.trim();
  throw new FormatError('contains a control character', {
    hint: 'use all, or interfaces such as eno1,eno2.100',
  });
}

const INTERFACE_NAME = /^[^\s/:%"'\\$\p{Cc}][^\s/%"'\\$\p{Cc}]{0,30}$/u;

/**
 * The value of the agent's option `enable_vlan_interfaces` (VLANs announced by LLDP become interfaces of the ramdisk) for
 * a mode (`always`, `never`, `auto`, in any case) or a list of interfaces, with or without VLAN. With `auto`, a network
 * configuration of the host disables VLANs from LLDP. Throws FormatError without a subject.
 */
function parseVlanInterfaces(text: string, hasNetwork: boolean): string {
  const word = text.trim().toLowerCase();
  if (word === 'always' || word === 'all') return 'all';
  if (word === 'never') return '';
  if (word === 'auto') return hasNetwork ? '' : 'all';
  const names = splitList(text);
  const invalid = names.find((name) => !INTERFACE_NAME.test(name) || isVlanMode(name));
  const mode = nearestName(word, ['always', 'never', 'auto']);
  if (invalid === undefined && mode === undefined && names.length > 0) return names.join(',');
  throw new FormatError('is neither always, never or auto nor a list of interfaces', {
    hint: `use ${mode ?? 'interfaces such as eno1,eno2.100'}`,
  });
}

/** A mode of the setting `agent.vlanInterfaces`, which the agent does not have: it uses the word as an interface. */
export function isVlanMode(word: string): boolean {
  return /^(?:always|auto|never)$/i.test(word);
}
