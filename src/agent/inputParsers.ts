/**
 * How the text of an input becomes a setting, by profile: those that stand for a peer read as the peer does. All throw
 * FormatError with a message that goes on from the name of the input, but for URLs: UsageError with the whole message.
 */

import { FormatError } from '../core/errors.ts';
import { machineNameProblem } from '../formats/hostName.ts';
import { checkImageReference } from '../formats/imageReference.ts';
import { splitAuthorizedKeys } from '../formats/sshKey.ts';
import { findBareRegistry } from './imageSource.ts';
import { checkApiUrls, parseInspectorUrls, type UrlSource } from './ironicUrl.ts';
import { parseNtpServers } from './ntpServers.ts';
import { parseScriptFlags, parseScriptUrl, parseScriptVlans } from './profiles/configureCoreosIpaInputs.ts';
import {
  checkIccHostname,
  checkIccImage,
  checkIccValue,
  iccVlanInterfaces,
  parseIccApiUrls,
  parseIccInspectorUrls,
  parseIccNoProxy,
  parseIccNtpServers,
  parseEncodedPullSecret,
  parseSingleSshKey,
} from './profiles/iccInputs.ts';
import { parseNoProxy, parseProxyUrl } from './proxy.ts';
import { parsePullSecret } from './pullSecret.ts';
import type { ProfileName } from './settings.ts';
import { parseVlanInterfaces } from './vlanInterfaces.ts';

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
