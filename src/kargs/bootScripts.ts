/** Boot scripts and menu entries for GRUB, iPXE and PXELINUX, with the checks for each boot loader. */

import { readAsset } from '../core/assets.ts';
import { fillTemplate } from '../formats/template.ts';
import { errorRule, warningRule } from '../ignition/rule.ts';
import {
  type BootForm,
  bootImages,
  checkImages,
  checkLoaderSettings,
  checkReserved,
  checkTexts,
  hasUnknownSetting,
  placedArchives,
  placedImages,
} from './bootForm.ts';
import type { BootSettings } from './bootSettings.ts';
import { kernelArguments } from './kernelArguments.ts';
import { type BootUrl, parseBootUrl } from './urlArgument.ts';

const grubQuotes = errorRule(
  'grub-quotes',
  'GRUB adds a backslash before every quote and backslash in kernel arguments',
  'remove quotes and backslashes, or percent-encode them in a URL: %27, %5C',
);
const grubPortRule = warningRule(
  'grub-port',
  'GRUB before 2.12 ignores the port and uses 80 for http and 69 for tftp, except with patches of a distribution',
  'serve the files on port 80, or with TFTP on port 69',
);
const grubCredentials = errorRule(
  'grub-credentials',
  'GRUB does not support credentials in URLs',
  'serve the file without credentials',
);

/**
 * A GRUB menu entry. The shell of GRUB does not change text in single quotes, but GRUB adds backslashes before quotes and
 * backslashes in kernel arguments (lib/cmdline.c), so these characters are refused. Not supported: https, which GRUB does not
 * support, and loading modules. If `http` is not built in, for example in the signed GRUB of Debian for network boot, GRUB
 * itself loads http.mod from the folder of its platform in the folder of the configuration.
 */
export const grub: BootForm = {
  check: (settings, placed) => {
    const images = placedImages(settings);
    return [
      ...checkImages(settings, ['http', 'tftp']),
      ...checkReserved(placed, ['initrd']),
      ...checkLoaderSettings([...images, ...placed]),
      ...checkTexts(grubQuotes, [...images, ...placed], (text) => /['"\\]/.test(text)),
      ...checkTexts(grubPortRule, images, hasOwnPort),
      ...checkTexts(grubCredentials, images, (text) => parseBootUrl(text)?.credentials === true),
    ];
  },
  added: (settings) => [`BOOT_IMAGE=${grubPath(bootImages(settings).kernelUrl)}`],
  render: (settings) => fillTemplate(readAsset('templates/boot/grub.cfg'), loadingWords(settings)),
};

/** The quoted arguments of the commands `linux` and `initrd`. The settings must be checked. */
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

/** Quotes a word for the shell of GRUB. Words of letters, digits and safe punctuation are not quoted, for readability. */
export function quoteGrub(word: string): string {
  return /^[A-Za-z0-9_.:/=,@%+-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}

/** Converts `http://host:8080/a/kernel` to the syntax of GRUB: `(http,host:8080)/a/kernel`. Other text is not changed. */
function grubPath(url: string): string {
  const parts = parseBootUrl(url);
  if (parts === undefined) return url;
  return `(${parts.scheme},${parts.host}${grubPort(parts)})${parts.path}`;
}

function hasOwnPort(url: string): boolean {
  const parts = parseBootUrl(url);
  return parts !== undefined && grubPort(parts) !== '';
}

/** Empty for the usual port of the scheme, which every GRUB uses by itself. */
function grubPort({ port, scheme }: BootUrl): string {
  const usual = scheme === 'tftp' ? 69 : 80;
  return port === '' || Number(port) === usual ? '' : `:${port}`;
}

export const ipxeExpansion = errorRule(
  'ipxe-expansion',
  'iPXE replaces ${…} with the value of a setting, and knows no setting of this name',
  'remove ${, or percent-encode it in a URL: %24%7B; settings of the machine are ${mac:hexhyp}, ${uuid} and ${serial}',
);
const ipxeComment = errorRule(
  'ipxe-word',
  'iPXE interprets a word that starts with # as a comment, and the words ||, && and ; as operators',
  'remove the words ||, &&, ; and those that start with #',
);

/**
 * An iPXE script. iPXE splits a line at white space and expands `${…}`; it has neither quotes nor escapes (exec.c,
 * settings.c), so text that it would change is refused. EFI kernels find their initramfs by the name in `initrd=`.
 */
export const ipxe: BootForm = {
  check: (settings, placed) => [
    ...checkImages(settings, ['http', 'https', 'tftp', 'ftp', 'nfs']),
    ...checkReserved(placed, ['initrd', 'BOOTIF']),
    ...checkTexts(ipxeExpansion, [...placedImages(settings), ...placed], hasUnknownSetting),
    ...checkTexts(ipxeComment, placed, (text) => /^(?:#.*|\|\||&&|;)$/.test(text)),
  ],
  added: (settings) => [
    bootImages(settings).kernelUrl.replace(/^.*\//, ''), // with UEFI, the command line begins with the name of the kernel
    'BOOTIF=00:00:00:00:00:00',
    ...archiveNames(settings).map((name) => `initrd=${name}`),
  ],
  render: (settings) =>
    fillTemplate(readAsset('templates/boot/boot.ipxe'), { load: renderLoading(settings, '') }),
};

/**
 * The commands that load the kernel and the archives and start the kernel; if a command fails, they jump to `:retry`. `options`
 * apply to every download, each followed by a space. The settings must be checked.
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

const pxelinuxComma = errorRule(
  'pxelinux-comma',
  'PXELINUX splits the URL of the initramfs at commas',
  'percent-encode the comma as %2C',
);

const pxelinuxFileLength = errorRule(
  'pxelinux-file-length',
  'PXELINUX does not support file names or URLs longer than 255 bytes',
  'use a shorter URL',
);

/** FILENAME_MAX of Syslinux (core/include/fs.h), minus the final NUL. */
const LONGEST_FILE = 255;

/**
 * A PXELINUX configuration. `append` uses the rest of its line unchanged; `initrd` is a comma-separated list. URLs require
 * lpxelinux.0, which supports http, ftp and tftp. `ipappend 2` sets `BOOTIF=`.
 */
export const pxelinux: BootForm = {
  check: (settings, placed) => [
    ...checkImages(settings, ['http', 'ftp', 'tftp']),
    ...checkReserved(placed, ['initrd', 'BOOTIF']),
    ...checkLoaderSettings([...placedImages(settings), ...placed]),
    ...checkTexts(pxelinuxComma, placedArchives(settings), (text) => text.includes(',')),
    ...checkTexts(pxelinuxFileLength, placedImages(settings), (text) => text.length > LONGEST_FILE),
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
