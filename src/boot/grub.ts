/**
 * A GRUB menu entry. GRUB's shell takes everything between single quotes as it is; what it then hands to the kernel it
 * prefixes with backslashes where it finds quotes or backslashes (lib/cmdline.c), so those are refused.
 *
 * Left out: https, which GRUB does not speak, and loading modules. Where `http` is not built in, as in Debian's signed GRUB
 * for network boot, GRUB itself looks for http.mod in the folder of its platform beside the configuration.
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
import { parseBootUrl } from './urlArgument.ts';

const grubQuotes: Rule = {
  id: 'grub-quotes',
  severity: 'error',
  message: 'GRUB puts a backslash before every quote and backslash that it hands to the kernel',
  hint: 'leave quotes and backslashes out, or percent-encode them in a URL: %27, %5C',
};
const grubPort: Rule = {
  id: 'grub-port',
  severity: 'warning',
  message: 'GRUB before 2.12 ignores the port and asks port 80, unless the distribution has changed it',
  hint: 'serve the files on port 80, or load them by tftp',
};
const grubCredentials: Rule = {
  id: 'grub-credentials',
  severity: 'error',
  message: 'GRUB cannot send credentials',
  hint: 'serve the file without them',
};

export const grub: BootForm = {
  check: (settings, placed) => {
    const images = placedImages(settings);
    return [
      ...checkImages(settings, ['http', 'tftp']),
      ...checkReserved(placed, ['initrd']),
      ...checkTexts(grubQuotes, [...images, ...placed], (text) => /['\\]/.test(text)),
      ...checkTexts(grubPort, images, (text) => (parseBootUrl(text)?.port ?? '') !== ''),
      ...checkTexts(grubCredentials, images, (text) => parseBootUrl(text)?.credentials === true),
    ];
  },
  added: (settings) => [`BOOT_IMAGE=${grubPath(bootImages(settings).kernelUrl)}`],
  render: (settings) => fillTemplate(readAsset('templates/boot/grub.cfg'), loadingWords(settings)),
};

/** What the commands `linux` and `initrd` are given, each part quoted. The settings have passed the checks. */
export function loadingWords(
  settings: BootSettings,
): Readonly<Record<'kernel' | 'archives' | 'arguments', string>> {
  const { kernelUrl, initramfsUrls } = bootImages(settings);
  return {
    kernel: quoteGrub(grubPath(kernelUrl)),
    archives: initramfsUrls.map((url) => quoteGrub(grubPath(url))).join(' '),
    arguments: kernelArguments(settings).map(quoteGrub).join(' '),
  };
}

/** A word for GRUB's shell. Words of letters, digits and harmless punctuation stay bare, to be read easily. */
export function quoteGrub(word: string): string {
  return /^[A-Za-z0-9_.:/=,@%+-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}

/** `http://host:8080/a/kernel` as GRUB names it: `(http,host:8080)/a/kernel`. Other text stays as it is. */
function grubPath(url: string): string {
  const parts = parseBootUrl(url);
  if (parts === undefined) return url;
  const port = parts.port === '' ? '' : `:${parts.port}`;
  return `(${parts.scheme},${parts.host}${port})${parts.path}`;
}
