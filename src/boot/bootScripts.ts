/** The scripts and menu entries of the boot loaders GRUB, iPXE and PXELINUX, and what each of them cannot express. */

import { readAsset } from '../assets.ts';
import { fillTemplate } from '../formats/template.ts';
import { errorRule, warningRule } from '../ignition/rule.ts';
import {
  type BootForm,
  bootImages,
  checkImages,
  checkReserved,
  checkTexts,
  placedArchives,
  placedImages,
} from './bootForm.ts';
import type { BootSettings } from './bootSettings.ts';
import { kernelArguments } from './kernelArguments.ts';
import { parseBootUrl } from './urlArgument.ts';

// A GRUB menu entry. GRUB's shell takes everything between single quotes as it is; what it then hands to the kernel it
// prefixes with backslashes where it finds quotes or backslashes (lib/cmdline.c), so those are refused.
//
// Left out: https, which GRUB does not speak, and loading modules. Where `http` is not built in, as in Debian's signed GRUB
// for network boot, GRUB itself looks for http.mod in the folder of its platform beside the configuration.

const grubQuotes = errorRule(
  'grub-quotes',
  'GRUB puts a backslash before every quote and backslash that it hands to the kernel',
  'leave quotes and backslashes out, or percent-encode them in a URL: %27, %5C',
);
const grubPort = warningRule(
  'grub-port',
  'GRUB before 2.12 ignores the port and asks port 80, unless the distribution has changed it',
  'serve the files on port 80, or load them by tftp',
);
const grubCredentials = errorRule(
  'grub-credentials',
  'GRUB cannot send credentials',
  'serve the file without them',
);

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

// An iPXE script. iPXE splits a line at white space and expands `${…}`; it has no quotes and no escapes (exec.c,
// settings.c), so what it would change is refused here. EFI kernels find their initramfs by the name in `initrd=`.

export const ipxeExpansion = errorRule(
  'ipxe-expansion',
  'iPXE would replace ${…} by the value of a setting, and cannot be told not to',
  'leave ${ out, or percent-encode it in a URL: %24%7B',
);
const ipxeComment = errorRule(
  'ipxe-word',
  'iPXE takes a word that starts with # for a comment, and the words ||, && and ; for its own operators',
  'leave this argument out',
);

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

// A PXELINUX configuration. `append` takes the rest of its line as it is; `initrd` is a list with commas. URLs need
// lpxelinux.0, which knows http, ftp and tftp. `ipappend 2` gives `BOOTIF=`.

const pxelinuxComma = errorRule(
  'pxelinux-comma',
  'PXELINUX splits the initramfs at commas',
  'percent-encode the comma: %2C',
);

const pxelinuxFileLength = errorRule(
  'pxelinux-file-length',
  'PXELINUX takes no name of a file, or URL, that is longer than 255 bytes',
  'serve the file under a shorter URL',
);

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
