/**
 * Checks a folder of boot files, and returns the findings per machine, so that the caller can combine equal findings. Messages
 * contain the value; probable secrets are masked.
 */

import { type Finding, formatPath } from '../core/finding.ts';
import { HIDDEN, isSecretName, maskSetting } from '../core/masking.ts';
import { errorRules, infoRules, warningRules } from '../core/rule.ts';
import { parseArgument } from './argument.ts';
import { checkForms, imageUrls } from './checkBoot.ts';
import { isPlainForDnsmasq } from './dnsmasq.ts';
import { loaders as allLoaders, type NetworkBoot, withBootInterface } from './folder.ts';
import { bootArguments } from './kernelArguments.ts';
import { checkLoaderSettings, checkTexts, hasUnknownSetting } from './loaders/form.ts';
import { ipxeExpansion } from './loaders/ipxe.ts';
import type { IsoBoot, RamdiskBoot } from './loaders/loader.ts';
import { checkUrl, isPlainText } from './urlArgument.ts';

export const folderRules = {
  ...warningRules({
    'boot-host-unfound': [
      'the host has no MAC address, so it finds its boot script only if DHCP sends the file name',
      'add the MAC addresses of the interfaces from which the host boots',
    ],
  }),
  ...errorRules({
    'boot-iso-characters': [
      'the URL of the ISO contains whitespace, quotes, characters other than printable ASCII, or a comma or # in dnsmasq',
      'percent-encode these characters, for example a space as %20',
    ],
    'boot-folder-url': [
      'invalid URL of the folder for DHCP',
      'use an http or https URL without commas, quotes and #',
    ],
  }),
  ...infoRules({
    'boot-iso-san': [
      'with UEFI HTTP boot the ISO stays in memory, but after sanboot of iPXE the system cannot read the ISO',
      'use a minimal ISO for iPXE, which fetches its root filesystem by URL, or boot a kernel and an initramfs',
    ],
  }),
};

export interface MachineFindings {
  /** Name of a host; undefined for unknown machines. */
  readonly host?: string;
  /** Paths refer to the boot settings, or are empty. The list is never empty. */
  readonly findings: readonly Finding[];
}

/** Yields findings that apply to all machines first, then the findings of each host. */
export function* checkNetworkBoot(boot: NetworkBoot): Generator<MachineFindings> {
  const shared = [
    ...checkFolder(boot),
    ...boot.discovery.flatMap((start) => checkRamdisk(start, boot.loaders)),
  ];
  if (shared.length > 0) yield { findings: shared };
  for (const host of boot.hosts) {
    const { macs, name, start } = host;
    const findings = [
      ...(macs.length === 0 ? [{ ...folderRules['boot-host-unfound'], path: [] }] : []),
      ...(start.kind === 'iso' ? checkIso(start, boot) : checkRamdisk(start, boot.loaders)),
    ];
    if (findings.length > 0) yield { host: name, findings };
  }
}

function checkFolder({ folderUrl }: NetworkBoot): readonly Finding[] {
  if (folderUrl === undefined) return [];
  const isFit = checkUrl(folderUrl, ['http', 'https']).length === 0 && isPlainForDnsmasq(folderUrl);
  return isFit ? [] : [{ ...folderRules['boot-folder-url'], path: [] }];
}

function checkIso({ url }: IsoBoot, { loaders, folderUrl }: NetworkBoot): readonly Finding[] {
  const isPlain = isPlainText(url) && (folderUrl === undefined || isPlainForDnsmasq(url));
  const issues: readonly Finding[] = [
    ...checkUrl(url, ['http', 'https']).map((issue) => ({ ...issue, path: [] })),
    ...(isPlain ? [] : [{ ...folderRules['boot-iso-characters'], path: [] }]),
    // Firmware that gets the URL from the DHCP server requests it as it is.
    ...(folderUrl === undefined && loaders.includes('ipxe')
      ? checkTexts(ipxeExpansion, [{ text: url, path: [] }], hasUnknownSetting)
      : checkLoaderSettings([{ text: url, path: [] }])),
    ...(loaders.includes('ipxe') ? [{ ...folderRules['boot-iso-san'], path: [] }] : []),
  ];
  return issues.map((issue) => namingValue(issue, maskSetting(url)));
}

/** Returns equal findings of several boot loaders once. */
function checkRamdisk(
  { architecture, settings }: RamdiskBoot,
  loaders: NetworkBoot['loaders'],
): readonly Finding[] {
  const complete = withBootInterface(settings);
  const found = checkForms(
    complete,
    loaders.map((name) => allLoaders[name]),
    architecture,
  );
  if (found.length === 0) return [];
  const texts = [...imageUrls(complete), ...bootArguments(complete)];
  const values = new Map(
    texts.map(({ text, path }) => {
      const { name, value } = parseArgument(text);
      const isSecret = value !== undefined && isSecretName(name);
      return [formatPath(path), isSecret ? `${name}=${HIDDEN}` : maskSetting(text)];
    }),
  );
  values.delete(formatPath([])); // arguments that no setting gives
  const findings = found.map((finding) => namingValue(finding, values.get(formatPath(finding.path))));
  const byText = new Map(
    findings.map((finding) => [`${formatPath(finding.path)} ${finding.message}`, finding]),
  );
  return [...byText.values()];
}

function namingValue(finding: Finding, value: string | undefined): Finding {
  if (value === undefined) return finding;
  const short = value.length > 80 ? `${value.slice(0, 80)}…` : value;
  const plain = /^[!-~…]+$/.test(short) ? short : JSON.stringify(short);
  return { ...finding, message: `${plain}: ${finding.message}` };
}
