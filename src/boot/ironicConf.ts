/**
 * The options of ironic.conf that give kernel arguments to the ramdisk. Ironic writes them unquoted into its iPXE, GRUB
 * and PXELINUX files, so what any of these would change is named here already.
 */

import { readAsset } from '../assets.ts';
import { quoteOsloValue } from '../formats/osloConfig.ts';
import { fillTemplate } from '../formats/template.ts';
import type { Rule } from '../ignition/rule.ts';
import { checkReserved, checkTexts, type BootForm } from './bootForm.ts';
import { argumentName } from './bootSettings.ts';
import { ipxeExpansion } from './ipxe.ts';
import { kernelArguments } from './kernelArguments.ts';

export const ironicName: Rule = {
  id: 'ironic-argument-name',
  severity: 'error',
  message: 'Ironic accepts only letters, digits, dots, dashes and underscores in the name of an argument',
  hint: 'leave this argument out of ironic.conf',
};
export const ironicGrub: Rule = {
  id: 'ironic-grub',
  severity: 'warning',
  message:
    'Ironic writes this argument unquoted into grub.cfg, where its special characters cut or change it',
  hint: 'percent-encode them in a URL, or boot these machines by iPXE',
};

export const ironic: BootForm = {
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
