/**
 * An iPXE script. iPXE splits a line at white space and expands `${…}`; it has no quotes and no escapes (exec.c,
 * settings.c), so what it would change is refused here. EFI kernels find their initramfs by the name in `initrd=`.
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

export const ipxeExpansion: Rule = {
  id: 'ipxe-expansion',
  severity: 'error',
  message: 'iPXE would replace ${…} by the value of a setting, and cannot be told not to',
  hint: 'leave ${ out, or percent-encode it in a URL: %24%7B',
};
export const ipxeComment: Rule = {
  id: 'ipxe-word',
  severity: 'error',
  message:
    'iPXE takes a word that starts with # for a comment, and the words ||, && and ; for its own operators',
  hint: 'leave this argument out',
};

export const ipxe: BootForm = {
  check: (settings, placed) => [
    ...checkImages(settings, ['http', 'https', 'tftp', 'ftp', 'nfs']),
    ...checkReserved(placed, ['initrd', 'BOOTIF']),
    ...checkTexts(ipxeExpansion, [...placedImages(settings), ...placed], (text) => text.includes('${')),
    ...checkTexts(ipxeComment, placed, (text) => /^(?:#.*|\|\||&&|;)$/.test(text)),
  ],
  added: () => ['BOOTIF=00:00:00:00:00:00', 'initrd=initramfs'],
  render: (settings) => {
    const { kernelUrl, initramfsUrl } = bootImages(settings);
    return fillTemplate(readAsset('templates/boot/boot.ipxe'), {
      kernel: kernelUrl,
      initramfs: initramfsUrl,
      arguments: kernelArguments(settings).join(' '),
    });
  },
};
