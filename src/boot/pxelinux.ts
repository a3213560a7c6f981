/**
 * A PXELINUX configuration. `append` takes the rest of its line as it is; `initrd` is a list with commas. URLs need
 * lpxelinux.0, which knows http, ftp and tftp. `ipappend 2` gives `BOOTIF=`.
 */

import { readAsset } from '../assets.ts';
import { fillTemplate } from '../formats/template.ts';
import type { Rule } from '../ignition/rule.ts';
import {
  bootImages,
  checkImages,
  checkReserved,
  checkTexts,
  placedImages,
  type BootForm,
} from './bootForm.ts';
import { kernelArguments } from './kernelArguments.ts';

export const pxelinuxComma: Rule = {
  id: 'pxelinux-comma',
  severity: 'error',
  message: 'PXELINUX splits the initramfs at commas',
  hint: 'percent-encode the comma: %2C',
};

export const pxelinux: BootForm = {
  check: (settings, placed) => [
    ...checkImages(settings, ['http', 'ftp', 'tftp']),
    ...checkReserved(placed, ['initrd', 'BOOTIF']),
    ...checkTexts(
      pxelinuxComma,
      placedImages(settings).filter(({ path }) => path[0] === 'initramfsUrl'),
      (text) => text.includes(','),
    ),
  ],
  added: (settings) => {
    const { kernelUrl, initramfsUrl } = bootImages(settings);
    return [`BOOT_IMAGE=${kernelUrl}`, `initrd=${initramfsUrl}`, 'BOOTIF=01-00-00-00-00-00-00'];
  },
  render: (settings) => {
    const { kernelUrl, initramfsUrl } = bootImages(settings);
    return fillTemplate(readAsset('templates/boot/pxelinux.cfg'), {
      kernel: kernelUrl,
      initramfs: initramfsUrl,
      arguments: kernelArguments(settings).join(' '),
    });
  },
};
