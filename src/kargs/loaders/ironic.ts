/**
 * The options of ironic.conf for kernel arguments of the ramdisk. Ironic writes them unquoted to its files for iPXE, GRUB and
 * PXELINUX. Therefore characters that are special to one of these boot loaders are reported.
 */

import { readAsset } from '../../core/assets.ts';
import { quoteOsloValue } from '../../formats/osloConfig.ts';
import { fillTemplate } from '../../formats/template.ts';
import type { Finding } from '../../core/finding.ts';
import { errorRule, issue, issueWith, warningRule } from '../../core/rule.ts';
import type { KernelArgument } from '../argument.ts';
import { kernelArguments } from '../kernelArguments.ts';
import { type BootForm, checkTexts, hasUnknownSetting } from './form.ts';
import { ipxeExpansion } from './ipxe.ts';

export const ramdiskArgumentSyntax = errorRule(
  'ramdisk-argument-syntax',
  'Ironic rejects a kernel argument',
  'use NAME or NAME=VALUE, separated by spaces; names contain only letters, digits, dots, dashes and underscores',
);
const ironicGrub = warningRule(
  'ironic-grub',
  'Ironic writes this argument unquoted to grub.cfg, where special characters truncate or change it',
  'percent-encode the characters in a URL, or use iPXE to boot these machines',
);

/**
 * An issue for an argument that is not in the grammar of Ironic (ironic/common/kernel_parameters.py): it refuses nodes with one,
 * and with one in ironic.conf the conductor does not start. The message does not contain the value, which may be secret.
 */
export function checkIronicArgument({ name, path, text }: KernelArgument): Finding | undefined {
  if (/^[\w.-]+(?:=(?:[!#-~]+|"[ !#-~]+"))?$/.test(text)) return undefined;
  if (!/^[\w.-]+$/.test(name)) return issue(ramdiskArgumentSyntax, path);
  const problem = `the value of ${name} is empty, has quotes that do not enclose all of it, or characters other than printable ASCII`;
  return issueWith(ramdiskArgumentSyntax, path, problem);
}

export const ironicConf: BootForm = {
  reserved: ['initrd', 'BOOTIF'],
  check: (list) => [
    ...list.flatMap((argument) => checkIronicArgument(argument) ?? []),
    ...checkTexts(ipxeExpansion, list, hasUnknownSetting),
    ...checkTexts(ironicGrub, list, (text) => !hasUnknownSetting(text) && /[$'\\;&|<>{}]/.test(text)),
  ],
  // Arguments that Ironic and its templates add, with usual lengths; the URL of the API is unknown here.
  added: () => [
    'selinux=0 troubleshoot=0 text BOOTIF=00:00:00:00:00:00 initrd=deploy_ramdisk ipa-debug=1',
    `ipa-global-request-id=req-${'0'.repeat(36)}`,
  ],
  render: (settings) =>
    fillTemplate(readAsset('templates/boot/ironic.conf'), {
      arguments: quoteOsloValue(kernelArguments(settings).join(' ')),
    }),
};
