/** The forms in which kernel arguments are written, by name, and the check of settings for one of them. */

import { findingOf, type Rule } from '../ignition/rule.ts';
import type { Finding } from '../core/finding.ts';
import { type BootForm, checkReserved, checkTexts } from './bootForm.ts';
import { argumentName, type BootSettings } from './bootSettings.ts';
import { checkForms } from './checkForms.ts';
import { grub } from './grub.ts';
import { ipxe, ipxeExpansion } from './ipxe.ts';
import { pxelinux } from './pxelinux.ts';
import { kernelArguments } from './kernelArguments.ts';
import { readAsset } from '../assets.ts';
import { quoteOsloValue } from '../formats/osloConfig.ts';
import { fillTemplate } from '../formats/template.ts';

/**
 * The options of ironic.conf that give kernel arguments to the ramdisk. Ironic writes them unquoted into its iPXE, GRUB
 * and PXELINUX files, so what any of these would change is named here already.
 */
const ironicName: Rule = {
  id: 'ironic-argument-name',
  severity: 'error',
  message: 'Ironic accepts only letters, digits, dots, dashes and underscores in the name of an argument',
  hint: 'leave this argument out of ironic.conf',
};
const ironicGrub: Rule = {
  id: 'ironic-grub',
  severity: 'warning',
  message:
    'Ironic writes this argument unquoted into grub.cfg, where its special characters cut or change it',
  hint: 'percent-encode them in a URL, or boot these machines by iPXE',
};

const ironic: BootForm = {
  check: (_settings, placed) => [
    ...checkReserved(placed, ['initrd', 'BOOTIF']),
    ...checkTexts(ironicName, placed, (text) => !/^[A-Za-z0-9_.-]+$/.test(argumentName(text))),
    ...checkTexts(ipxeExpansion, placed, (text) => text.includes('${')),
    ...checkTexts(ironicGrub, placed, (text) => !text.includes('${') && /[$'\\;&|<>{}]/.test(text)),
  ],
  // What Ironic's templates and Ironic itself add, of usual length; the URL of the API is not known here.
  added: () => [
    'selinux=0 troubleshoot=0 text BOOTIF=00:00:00:00:00:00 initrd=deploy_ramdisk ipa-debug=1',
    `ipa-global-request-id=req-${'0'.repeat(36)}`,
  ],
  render: (settings) =>
    fillTemplate(readAsset('templates/boot/ironic.conf'), {
      arguments: quoteOsloValue(kernelArguments(settings).join(' ')),
    }),
};

/**
 * The arguments on one line, and the same as JSON: for pasting into, or being read by, whatever boots the machine.
 */
const plain: BootForm = {
  check: (_settings, placed) => checkReserved(placed, ['initrd']),
  added: () => [],
  render: (settings) => `${kernelArguments(settings).join(' ')}\n`,
};

/** `arguments` as a list, `commandLine` as one string, and the URLs of kernel and initramfs where they are known. */
const json: BootForm = {
  ...plain,
  render: (settings) => {
    const list = kernelArguments(settings);
    const { kernelUrl, initramfsUrl } = settings;
    return `${JSON.stringify({ kernelUrl, initramfsUrl, arguments: list, commandLine: list.join(' ') }, null, 2)}\n`;
  },
};

export const bootForms = { plain, ironic, ipxe, grub, pxelinux, json } satisfies Record<string, BootForm>;

export type BootFormName = keyof typeof bootForms;

export const bootFormNames = [
  'plain',
  'ironic',
  'ipxe',
  'grub',
  'pxelinux',
  'json',
] as const satisfies BootFormName[];

/** Everything that is wrong or doubtful about `settings` written as `form`. Paths lead into the settings. */
export function checkBoot(settings: BootSettings, form: BootForm): readonly Finding[] {
  return checkForms(settings, [form], 'x86_64').map(findingOf);
}
