/**
 * The options of ironic.conf for kernel arguments of the ramdisk. Ironic writes them unquoted to its files for iPXE, GRUB and
 * PXELINUX. Therefore characters that are special to one of these boot loaders are reported.
 */

import { readAsset } from '../../core/assets.ts';
import { quoteOsloValue } from '../../formats/osloConfig.ts';
import { fillTemplate } from '../../formats/template.ts';
import { errorRules, warningRules } from '../../core/rule.ts';
import { kernelArguments } from '../kernelArguments.ts';
import { type BootForm, checkTexts, hasUnknownSetting } from './form.ts';
import { ipxeExpansion } from './ipxe.ts';

const ironicRules = {
  ...errorRules({
    'ironic-argument-name': [
      'Ironic accepts only letters, digits, dots, dashes and underscores in the name of an argument',
      'remove the argument, which ironic.conf does not support',
    ],
  }),
  ...warningRules({
    'ironic-grub': [
      'Ironic writes this argument unquoted to grub.cfg, where special characters truncate or change it',
      'percent-encode the characters in a URL, or use iPXE to boot these machines',
    ],
  }),
};

export const ironicConf: BootForm = {
  reserved: ['initrd', 'BOOTIF'],
  check: (list) => [
    ...list
      .filter(({ name }) => !/^[A-Za-z0-9_.-]+$/.test(name))
      .map(({ path }) => ({ ...ironicRules['ironic-argument-name'], path })),
    ...checkTexts(ipxeExpansion, list, hasUnknownSetting),
    ...checkTexts(
      ironicRules['ironic-grub'],
      list,
      (text) => !hasUnknownSetting(text) && /[$'\\;&|<>{}]/.test(text),
    ),
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
