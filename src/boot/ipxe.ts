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
import type { BootSettings } from './bootSettings.ts';
import { kernelArguments } from './kernelArguments.ts';

export const ipxeExpansion: Rule = {
  id: 'ipxe-expansion',
  severity: 'error',
  message: 'iPXE would replace ${…} by the value of a setting, and cannot be told not to',
  hint: 'leave ${ out, or percent-encode it in a URL: %24%7B',
};
const ipxeComment: Rule = {
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
  added: (settings) => [
    bootImages(settings).kernelUrl.replace(/^.*\//, ''), // for UEFI, the name of the kernel comes first
    'BOOTIF=00:00:00:00:00:00',
    ...archiveNames(settings).map((name) => `initrd=${name}`),
  ],
  render: (settings) =>
    fillTemplate(readAsset('templates/boot/boot.ipxe'), { load: renderLoading(settings, '') }),
};

/**
 * The commands that load kernel and archives and start them; a failure of each goes to `:retry`. `options` are those of
 * every download, each with a blank behind it. The settings have passed the checks.
 */
export function renderLoading(settings: BootSettings, options: string): string {
  const { kernelUrl, initramfsUrls } = bootImages(settings);
  const names = archiveNames(settings);
  return fillTemplate(readAsset('templates/boot/load.ipxe'), {
    kernel: `${options}${kernelUrl}`,
    arguments: kernelArguments(settings).join(' '),
    names: names.map((name) => `initrd=${name}`).join(' '),
    archives: initramfsUrls
      .map((url, index) => `initrd ${options}--name ${names[index]} ${url} || goto retry`)
      .join('\n'),
  });
}

function archiveNames({ appendedUrls = [] }: BootSettings): readonly string[] {
  return ['initramfs', ...appendedUrls.map((_url, index) => `initramfs${index + 2}`)];
}
