/**
 * How the text of an input becomes a setting, by profile: those that stand for a peer read as the peer does. All throw
 * FormatError with a message that goes on from the name of the input, but for URLs: UsageError with the whole message.
 */

import { FormatError, UsageError } from '../core/errors.ts';
import { machineNameProblem, parseHost } from '../formats/hostName.ts';
import { checkImageReference } from '../formats/imageReference.ts';
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
  iccVlanInterfaces,
  parseEncodedPullSecret,
  parseIccApiUrls,
  parseIccInspectorUrls,
  parseIccNoProxy,
  parseIccNtpServers,
  parseSingleSshKey,
} from './profiles/icc.ts';
import { parseNoProxy, parseProxyUrl, splitList } from './proxy.ts';
import { parsePullSecret } from './pullSecret.ts';
import type { ProfileName } from './settings.ts';

export interface InputParsers {
  readonly apiUrls: (text: string, source: UrlSource) => readonly string[];
  /** From base URLs of ironic-inspector to where inspection data go. */
  readonly inspectorUrls: (text: string, source: UrlSource) => readonly string[];
  readonly image: (text: string) => string;
  /** From an environment variable; a file is read alike by all. */
  readonly pullSecret: (text: string) => string;
  /** Words for `podman pull`. */
  readonly pullArgs: (text: string) => string[];
  readonly proxyUrl: (text: string) => string;
  readonly noProxy: (text: string) => string[];
  readonly ntpServers: (text: string) => string[];
  readonly hostname: (text: string) => string;
  readonly installIpOptions: (text: string) => string;
  readonly sshKeys: (text: string) => string[];
  readonly vlanInterfaces: (text: string, hasNetwork: boolean) => string;
}

const ownParsers: InputParsers = {
  apiUrls: checkApiUrls,
  inspectorUrls: parseInspectorUrls,
  image: checkAgentImage,
  pullSecret: parsePullSecret,
  pullArgs: (text) => text.split(/\s+/).filter((word) => word !== ''),
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
  noProxy: parseIccNoProxy,
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

/** A host alone would be taken for the name of an image, which no registry has. */
function checkAgentImage(text: string): string {
  const bare = findBareRegistry(checkImageReference(text));
  if (bare?.isCertain !== true) return text;
  throw new FormatError(`is the registry ${JSON.stringify(text)} without an image`, { hint: bare.hint });
}

function checkHostname(text: string): string {
  const problem = machineNameProblem(text);
  if (problem === undefined) return text;
  throw new FormatError(`is no name for a host: ${problem}`, { hint: 'for example worker-0.example.com' });
}

/** One argument: coreos-installer writes it into the boot loader's line. */
function checkKernelArgument(text: string): string {
  if (/^[!#-~]+(?: [!#-~]+)*$/.test(text)) return text;
  throw new FormatError('is not a kernel argument', {
    hint: 'for example ip=dhcp6; quotes are not possible',
  });
}

/** One server or several between commas. Throws a FormatError whose message has no subject. */
function parseNtpServers(text: string): string[] {
  const servers = splitList(text);
  for (const server of servers) {
    const host = parseHost(server);
    if (host.kind === 'invalid') {
      throw new FormatError(
        `holds ${JSON.stringify(server.slice(0, 300))}, which is no server: ${host.problem}`,
        {
          hint: 'give names or addresses, such as pool.ntp.org or 192.0.2.1',
        },
      );
    }
  }
  if (servers.length === 0)
    throw new FormatError('names no server', { hint: 'leave the option out for none' });
  return servers;
}

/** The script appends a port to a base URL that has none, so there is only one, and without a path. */
function parseScriptUrl(text: string, { flag, defaultPort }: UrlSource): readonly string[] {
  const url = parseIronicUrl(text);
  if ('message' in url) throw new UsageError(`${flag}: ${url.message}`, { hint: url.hint });
  if (url.port !== undefined || url.path !== '') {
    throw new UsageError(`${flag}: configure-coreos-ipa appends the port, so the URL ends with its host`, {
      hint: 'give the port by IRONIC_ACCESS_PORT, or use the default profile',
    });
  }
  return [formatIronicUrl({ ...url, ...(defaultPort === undefined ? {} : { port: defaultPort }) })];
}

/** Flags for `podman pull`, as words; the script writes them into JSON and a unit as they are. */
function parseScriptFlags(text: string): string[] {
  const special = /["'%$\\;\p{Cc}]/u.exec(text)?.[0];
  if (special === undefined) return text.split(' ').filter((word) => word !== '');
  throw new FormatError(
    `has a ${JSON.stringify(special)} in it, which the script writes into the unit as it is`,
    {
      hint: 'use the default profile, which writes it correctly',
    },
  );
}

/** The agent's option for VLANs as it is: `all`, interfaces, or empty for none. */
function parseScriptVlans(text: string): string {
  if (!/[\p{Cc}]/u.test(text.trim())) return text.trim();
  throw new FormatError('has a control character in it', {
    hint: 'give all, or interfaces like eno1,eno2.100',
  });
}

const interfaceName = /^[^\s/:%"'\\$\p{Cc}][^\s/%"'\\$\p{Cc}]{0,30}$/u;

/**
 * The agent's option `enable_vlan_interfaces`: VLANs that LLDP tells of become interfaces of the ramdisk. With a
 * network that is set up for the host they would only get in the way. The option's value for a mode (`always`, `never`,
 * `auto`, in any case) or a list of interfaces, with or without VLAN. Throws FormatError without a subject.
 */
function parseVlanInterfaces(text: string, hasNetwork: boolean): string {
  const word = text.trim().toLowerCase();
  if (word === 'always' || word === 'all') return 'all';
  if (word === 'never') return '';
  if (word === 'auto') return hasNetwork ? '' : 'all';
  const names = splitList(text);
  const wrong = names.find((name) => !interfaceName.test(name));
  if (wrong === undefined && names.length > 0) return names.join(',');
  throw new FormatError('is neither always, never or auto nor a list of interfaces', {
    hint: 'name interfaces like eno1,eno2.100',
  });
}
