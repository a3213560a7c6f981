/** What the commands of `iso` take. */

import {
  choice,
  common,
  file,
  toggle,
  folder,
  repeatable,
  type OptionsOf,
  required,
  freeText,
  under,
  withCommon,
  withDefault,
} from '../../io/commandLine.ts';
import {
  configOptions,
  customizeOptions,
  embeddingOptions,
  ISO,
  networkOptions,
  networkOutputOptions,
  newFileOptions,
  OVERWRITE_FILES,
  resultOptions,
} from '../customize/options.ts';

const iso = { '<ISO>': file(ISO) };

export const showOptions = iso;

export const rewriteOptions = { ...iso, ...resultOptions };

export const embedOptions = {
  '-i, --ignition-file <path>': file('Ignition config to embed (default: standard input)'),
  ...iso,
  '-f, --force': toggle('replace an embedded config'),
  ...configOptions,
  ...embeddingOptions,
  '--initrd-file <path:name>': repeatable(
    file('file to add to the initramfs; not visible in the live system'),
  ),
  '--initrd-archive <path>': repeatable(file('tar or cpio archive of files to add to the initramfs')),
  '--iso-file <path:name>': repeatable(
    file('file to add to the medium, mounted as /run/media/iso/coreos/NAME'),
  ),
};

export const embedNetworkOptions = {
  ...iso,
  '-f, --force': toggle('replace all embedded network settings'),
  ...networkOptions,
  ...embeddingOptions,
};

export const extractNetworkOptions = { ...iso, ...networkOutputOptions };

export const modifyKargsOptions = {
  ...iso,
  '-a, --append <karg>': repeatable(freeText('append an argument')),
  '-d, --delete <karg>': repeatable(freeText('delete an argument')),
  '-r, --replace <karg=old=new>': repeatable(freeText('replace the value of an argument')),
  ...resultOptions,
};

export const showKargsOptions = {
  ...iso,
  '-d, --default': toggle('print the default kernel arguments'),
  '--format <form>': withDefault('text', choice(['text', 'json'], 'text or json')),
};

export const resetOptions = {
  ...iso,
  '-f, --force': toggle('reset reserved areas that cannot be read'),
  ...resultOptions,
};

export const isoCustomizeOptions = {
  ...iso,
  ...customizeOptions,
  ...under('Live system:', {
    '--live-karg-append <arg>': common(repeatable(freeText('append a kernel argument'))),
    '--live-karg-delete <arg>': repeatable(freeText('delete a kernel argument')),
    '--live-karg-replace <k=o=n>': repeatable(freeText('replace a kernel argument, as key=old=new')),
  }),
  ...under('Output:', {
    '-f, --force': common(toggle('replace all embedded files')),
    ...configOptions,
    ...withCommon(embeddingOptions, '-o, --output <path>', '--overwrite'),
  }),
};

export const extractFilesOptions = {
  ...iso,
  '-o, --output-dir <path>': withDefault('.', folder('folder for the files; created if it does not exist')),
  '--overwrite': toggle(OVERWRITE_FILES),
};

export const extractMinimalIsoOptions = {
  ...iso,
  '[OUTPUT]': withDefault('-', file('new file for the minimal ISO; "-" is standard output')),
  '--output-rootfs <path>': file('new file for the root filesystem'),
  '--rootfs-url <url>': freeText('URL from which the minimal ISO fetches the root filesystem'),
  ...newFileOptions,
};

export const createIsoOptions = {
  '-o, --output <path>': required(file('new file to write; "-" is standard output')),
  '-k, --kernel <path>': required(file('kernel')),
  '-i, --initrd <path>': required(file('initramfs')),
  '--rootfs <path>': file('root filesystem of a CoreOS live system'),
  '--isolinux <path>': file('isolinux.bin, to boot with BIOS'),
  '--ldlinux <path>': file('ldlinux.c32 (default: the file in the folder of isolinux.bin)'),
  '--isohybrid-mbr <path>': file('isohdpfx.bin, to boot with BIOS from a USB disk'),
  '--efi-image <path>': file('image of an EFI system partition with GRUB, to boot with UEFI'),
  '--grub-config <path>': repeatable(
    freeText('path on the ISO from which GRUB reads its menu (default: EFI/BOOT/grub.cfg)'),
  ),
  '--karg <arg>': repeatable(freeText('kernel argument (default, except for CoreOS: boot_method=vmedia)')),
  '--label <label>': freeText('volume ID (default: ironic-python-agent)'),
  ...newFileOptions,
};

export type ShowOptions = OptionsOf<typeof showOptions>;
export type EmbedOptions = OptionsOf<typeof embedOptions>;
export type EmbedNetworkOptions = OptionsOf<typeof embedNetworkOptions>;
export type ExtractNetworkOptions = OptionsOf<typeof extractNetworkOptions>;
export type ModifyKargsOptions = OptionsOf<typeof modifyKargsOptions>;
export type ShowKargsOptions = OptionsOf<typeof showKargsOptions>;
export type ResetOptions = OptionsOf<typeof resetOptions>;
export type IsoCustomizeOptions = OptionsOf<typeof isoCustomizeOptions>;
export type ExtractFilesOptions = OptionsOf<typeof extractFilesOptions>;
export type ExtractMinimalIsoOptions = OptionsOf<typeof extractMinimalIsoOptions>;
export type CreateIsoOptions = OptionsOf<typeof createIsoOptions>;
