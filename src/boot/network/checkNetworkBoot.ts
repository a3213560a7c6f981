/**
 * What is wrong or doubtful about a folder of boot files, machine by machine, so that whoever reports it can say the
 * same of many machines once. A message names the value that it is about; what looks like a secret in it is hidden.
 */

import type { Finding, Path } from '../../core/finding.ts';
import { parseMacAddress } from '../../core/macAddress.ts';
import { hidden, isSecretName, maskText } from '../../core/masking.ts';
import { machineNameProblem } from '../../formats/hostName.ts';
import { errorRule, findingOf, infoRule, type Issue, warningRule } from '../../ignition/rule.ts';
import { placedImages } from '../bootForm.ts';
import { checkForms } from '../bootForms.ts';
import { ipxeExpansion } from '../bootScripts.ts';
import { argumentName, argumentValue, type BootSettings } from '../bootSettings.ts';
import { placedArguments } from '../kernelArguments.ts';
import { checkUrl, isPlainText } from '../urlArgument.ts';
import { isPlainForDnsmasq, networkForms, withBootInterface } from './bootFiles.ts';
import {
  hyphenMac,
  type IsoBoot,
  type NetworkBoot,
  type NetworkHost,
  type RamdiskBoot,
} from './networkBoot.ts';

const bootHostName = errorRule(
  'boot-host-name',
  'the name cannot be that of a host, and hence not of its files',
  'use letters, digits, dashes and dots',
);
const bootHostFiles = errorRule(
  'boot-host-files',
  'another host has files of the same name',
  'give every host a name and MAC addresses of its own',
);
const bootHostMac = errorRule(
  'boot-host-mac',
  'this is no MAC address in lower case with colons',
  'write it like 52:54:00:12:34:56',
);
const bootHostUnfound = warningRule(
  'boot-host-unfound',
  'the host has no MAC address, so it finds its files only if DHCP names its script',
  'say with which interfaces it boots',
);
const bootImageMissing = errorRule(
  'boot-image-missing',
  'a boot script needs the URLs of the kernel and of the initramfs',
  'give both of them, for every architecture',
);
const bootIsoCharacters = errorRule(
  'boot-iso-characters',
  'the URL of the ISO holds white space, quotes or other than printable ASCII, or a comma or # for dnsmasq',
  'percent-encode these characters: a space is %20',
);
export const bootIsoSan = infoRule(
  'boot-iso-san',
  'UEFI HTTP boot keeps the ISO in memory for the system, but after sanboot of iPXE the system cannot read it',
  'for iPXE take a minimal ISO, which fetches its root filesystem by URL, or boot kernel and initramfs',
);
const bootFolderUrl = errorRule(
  'boot-folder-url',
  'DHCP cannot name this folder to the machines',
  'give an http or https URL without commas, quotes and #',
);

export interface MachineFindings {
  /** The name of a host; of machines that are not known, undefined. */
  readonly host?: string;
  /** Paths lead into the settings of the boot, or are empty. Never an empty list. */
  readonly findings: readonly Finding[];
}

/** In the order of the hosts, before them what is wrong for all. Text may go out if none is an error. */
export function* checkNetworkBoot(boot: NetworkBoot): Generator<MachineFindings> {
  const shared = [
    ...checkFolder(boot),
    ...boot.discovery.flatMap((start) => checkRamdisk(start, boot.loaders)),
  ];
  if (shared.length > 0) yield { findings: shared };
  const takenFiles = new Map<string, NetworkHost>();
  for (const host of boot.hosts) {
    const findings = [...checkNames(host, takenFiles), ...checkStart(host, boot)];
    if (findings.length > 0) yield { host: host.name, findings };
  }
}

function checkFolder({ folderUrl }: NetworkBoot): readonly Finding[] {
  if (folderUrl === undefined) return [];
  const isFit = checkUrl(folderUrl, ['http', 'https']).length === 0 && isPlainForDnsmasq(folderUrl);
  return isFit ? [] : [findingOf({ rule: bootFolderUrl, path: [] })];
}

/** Adds the names of the host's files to `taken`; on some servers upper case is not another name. */
function checkNames(host: NetworkHost, taken: Map<string, NetworkHost>): readonly Finding[] {
  const { name, macs } = host;
  const issues: Issue[] = [];
  const problem = machineNameProblem(name);
  if (problem !== undefined)
    issues.push({ rule: bootHostName, path: [], message: `${bootHostName.message}: ${problem}` });
  if (macs.length === 0) issues.push({ rule: bootHostUnfound, path: [] });
  for (const mac of macs) {
    const read = parseMacAddress(mac);
    if (!('mac' in read) || read.mac !== mac) {
      issues.push({ rule: bootHostMac, path: [], message: `${mac}: ${bootHostMac.message}` });
    }
  }
  for (const file of [name.toLowerCase(), ...macs.map((mac) => `mac-${hyphenMac(mac)}`)]) {
    if ((taken.get(file) ?? host) !== host) {
      issues.push({ rule: bootHostFiles, path: [], message: `${file}: ${bootHostFiles.message}` });
    }
    taken.set(file, host);
  }
  return issues.map(findingOf);
}

function checkStart({ start }: NetworkHost, boot: NetworkBoot): readonly Finding[] {
  return start.kind === 'iso' ? checkIso(start, boot) : checkRamdisk(start, boot.loaders);
}

function checkIso({ url }: IsoBoot, { loaders, folderUrl }: NetworkBoot): readonly Finding[] {
  const isPlain = isPlainText(url) && (folderUrl === undefined || isPlainForDnsmasq(url));
  const issues: readonly Issue[] = [
    ...checkUrl(url, ['http', 'https']).map((issue) => ({ ...issue, path: [] })),
    ...(isPlain ? [] : [{ rule: bootIsoCharacters, path: [] }]),
    ...(loaders.includes('ipxe') && url.includes('${') ? [{ rule: ipxeExpansion, path: [] }] : []),
    ...(loaders.includes('ipxe') ? [{ rule: bootIsoSan, path: [] }] : []),
  ];
  return issues.map((issue) => namingValue(issue, maskText(url)));
}

/** What several loaders have in common is said once. */
function checkRamdisk(
  { architecture, settings }: RamdiskBoot,
  loaders: NetworkBoot['loaders'],
): readonly Finding[] {
  if (settings.kernelUrl === undefined || settings.initramfsUrl === undefined) {
    return [namingValue({ rule: bootImageMissing, path: [] }, architecture)];
  }
  const complete = withBootInterface(settings);
  const forms = loaders.map((loader) => networkForms[loader]);
  const values = valuesByPath(complete);
  const findings = checkForms(complete, forms, architecture).map((issue) =>
    namingValue(issue, values.get(keyOf(issue.path))),
  );
  const byText = new Map(findings.map((finding) => [`${keyOf(finding.path)} ${finding.message}`, finding]));
  return [...byText.values()];
}

function valuesByPath(settings: BootSettings): ReadonlyMap<string, string> {
  const texts = [...placedImages(settings), ...placedArguments(settings)];
  return new Map(
    texts.filter(({ path }) => path.length > 0).map(({ text, path }) => [keyOf(path), shown(text)]),
  );
}

function keyOf(path: Path): string {
  return JSON.stringify(path);
}

/** An argument as a message may show it. */
function shown(text: string): string {
  const name = argumentName(text);
  const isSecret = argumentValue(text) !== undefined && isSecretName(name);
  return isSecret ? `${name}=${hidden}` : maskText(text);
}

const longestShown = 80;

function namingValue(issue: Issue, value: string | undefined): Finding {
  const finding = findingOf(issue);
  if (value === undefined) return finding;
  const short = value.length > longestShown ? `${value.slice(0, longestShown)}…` : value;
  const plain = /^[!-~…]+$/.test(short) ? short : JSON.stringify(short);
  return { ...finding, message: `${plain}: ${finding.message}` };
}
