/**
 * Checks the kernel arguments of the ramdisk in ironic.conf, the configuration of Ironic's conductor. Ironic itself reports
 * mistakes in its other options when it starts.
 */

import { basename } from 'node:path/posix';
import type { Finding } from '../core/finding.ts';
import type { OsloDocument, OsloOption } from '../formats/osloConfig.ts';
import { parseArgument, splitArguments } from '../kargs/argument.ts';
import { checkBoot, rootfsMissing } from '../kargs/checkBoot.ts';
import { coreosArguments } from '../kargs/coreosArguments.ts';
import { ironicConf } from '../kargs/loaders/ironic.ts';

/** Kernel arguments in `[pxe]`, `[redfish]` and the sections of other drivers; older releases have the other names. */
const ARGUMENTS = /^(?:kernel_append_params|pxe_append_params|extra_kernel_params)$/;

/** Options and sections that the agent does not have. */
const OPTION = /^(?:enabled_\w+_interfaces|enabled_hardware_types|default_\w+_interface)$/;
const SECTION = /^(?:auto_discovery|conductor|deploy|dhcp|inspector|ipmi|json_rpc|pxe|redfish)$/;

export function isIronicConf(file: string, { entries }: OsloDocument): boolean {
  return (
    basename(file) === 'ironic.conf' ||
    entries.some((entry) => {
      if (entry.kind === 'remark') return false;
      if (entry.kind === 'section') return SECTION.test(entry.name);
      return ARGUMENTS.test(entry.name) || OPTION.test(entry.name);
    })
  );
}

export function checkConductorArguments({ entries }: OsloDocument): Finding[] {
  // oslo.config uses the last line of each option.
  const last = new Map<string, OsloOption>();
  for (const entry of entries) {
    if (entry.kind === 'option' && ARGUMENTS.test(entry.name))
      last.set(`${entry.section}.${entry.name}`, entry);
  }
  return [...last.values()].flatMap(checkLine);
}

/** The findings with the names of the arguments, but not with their values, which may be secret. */
function checkLine({ name, section, value, valuePosition: position }: OsloOption): Finding[] {
  // "$name" is the value of another option.
  const texts = splitArguments(value)
    .filter((text) => !text.replaceAll('$$', '').includes('$'))
    .map((text) => text.replaceAll('$$', '$'));
  const isCoreos = texts.some((text) => /^(?:coreos|ignition)\./.test(text));
  const settings = {
    system: isCoreos ? 'coreos' : 'other',
    // The config may be in the initramfs, whose URL is a setting of each node.
    embedded: !texts.some((text) => parseArgument(text).name === coreosArguments.configUrl.name),
    ip: [],
    consoles: [],
    ipaParameters: [],
    extraArguments: texts,
  } as const;
  return checkBoot(settings, ironicConf).map((finding) => {
    const [, index = -1] = finding.path;
    const text = texts[Number(index)];
    const message = text === undefined ? finding.message : `${parseArgument(text).name}: ${finding.message}`;
    // The hint for the settings of a command names its option.
    const hint =
      finding.rule === rootfsMissing.rule ? `add ${coreosArguments.rootfsUrl.name}=URL` : finding.hint;
    return { ...finding, path: [section, name], message, hint, ...(position && { position }) };
  });
}
