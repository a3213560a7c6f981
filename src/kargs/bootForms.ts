/** The output formats for kernel arguments by name. */

import { kernelArguments } from './kernelArguments.ts';
import { type BootForm, checkLoaderSettings } from './loaders/form.ts';
import { grub } from './loaders/grub.ts';
import { ipxe } from './loaders/ipxe.ts';
import { ironicConf } from './loaders/ironic.ts';
import { pxelinux } from './loaders/pxelinux.ts';

export const bootFormNames = ['plain', 'ironic', 'ipxe', 'grub', 'pxelinux', 'json'] as const;

export type BootFormName = (typeof bootFormNames)[number];

const plain: BootForm = {
  reserved: ['initrd'],
  check: checkLoaderSettings,
  added: () => [],
  render: (settings) => `${kernelArguments(settings).join(' ')}\n`,
};

/** JSON: `arguments` as a list, `commandLine` as one string, and the URLs of the kernel and the initramfs if they are set. */
const json: BootForm = {
  ...plain,
  render: (settings) => {
    const list = kernelArguments(settings);
    const { kernelUrl, initramfsUrl } = settings;
    return `${JSON.stringify({ kernelUrl, initramfsUrl, arguments: list, commandLine: list.join(' ') }, null, 2)}\n`;
  },
};

export const bootForms: Readonly<Record<BootFormName, BootForm>> = {
  plain,
  ironic: ironicConf,
  ipxe,
  grub,
  pxelinux,
  json,
};
