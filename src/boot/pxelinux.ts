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
  placedArchives,
  placedImages,
  type BootForm,
} from './bootForm.ts';
import { kernelArguments } from './kernelArguments.ts';

const pxelinuxComma: Rule = {
  id: 'pxelinux-comma',
  severity: 'error',
  message: 'PXELINUX splits the initramfs at commas',
  hint: 'percent-encode the comma: %2C',
};

const pxelinuxFileLength: Rule = {
  id: 'pxelinux-file-length',
  severity: 'error',
  message: 'PXELINUX takes no name of a file, or URL, that is longer than 255 bytes',
  hint: 'serve the file under a shorter URL',
};

/** FILENAME_MAX of Syslinux (core/include/fs.h), less the final NUL. */
const longestFile = 255;

export const pxelinux: BootForm = {
  check: (settings, placed) => [
    ...checkImages(settings, ['http', 'ftp', 'tftp']),
    ...checkReserved(placed, ['initrd', 'BOOTIF']),
    ...checkTexts(pxelinuxComma, placedArchives(settings), (text) => text.includes(',')),
    ...checkTexts(pxelinuxFileLength, placedImages(settings), (text) => text.length > longestFile),
  ],
  added: (settings) => {
    const { kernelUrl, initramfsUrls } = bootImages(settings);
    return [`BOOT_IMAGE=${kernelUrl}`, `initrd=${initramfsUrls.join(',')}`, 'BOOTIF=01-00-00-00-00-00-00'];
  },
  render: (settings) => {
    const { kernelUrl, initramfsUrls } = bootImages(settings);
    return fillTemplate(readAsset('templates/boot/pxelinux.cfg'), {
      kernel: kernelUrl,
      archives: initramfsUrls.join(','),
      arguments: kernelArguments(settings).join(' '),
    });
  },
};
