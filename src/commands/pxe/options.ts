/** What the commands of `pxe` take. */

import {
  choice,
  common,
  file,
  toggle,
  INVENTORY,
  repeatable,
  negation,
  type OptionsOf,
  required,
  freeText,
  under,
  withDefault,
} from '../../io/commandLine.ts';
import { settingOptions } from '../../hosts/settings/options.ts';
import { bootFormNames } from '../../kargs/bootForms.ts';
import {
  configOptions,
  customizeOptions,
  NEW_FILE_MODE,
  networkOptions,
  networkOutputOptions,
  newFileOptions,
} from '../customize/options.ts';

export const kargsOptions = {
  ...under('Boot:', {
    ...settingOptions('boot'),
    '--no-coreos': common(
      negation('the ramdisk is not CoreOS: write no arguments for Ignition and the root filesystem'),
    ),
    '--console <spec>': common(
      repeatable(freeText('console, for example ttyS0,115200n8; the last console is /dev/console')),
    ),
  }),
  ...under('Network:', {
    '--static': common(toggle('add the network of the host as ip=, bond=, vlan= and nameserver= arguments')),
    ...settingOptions('host.nmstate', 'host.networkData', 'host.keyfiles'),
  }),
  ...under('Proxies:', settingOptions('proxy', 'ironic.apiUrls')),
  ...under('Input and output:', {
    '--inventory <file>': common(file(INVENTORY)),
    '--host <name>': common(freeText('host of the inventory', 'host')),
    '--format <form>': common(
      withDefault('plain', choice(bootFormNames, 'plain, ironic, ipxe, grub, pxelinux or json')),
    ),
    '-o, --output <file>': common(file('file to write (default: standard output)')),
  }),
};

export const pxeCustomizeOptions = {
  '<INITRAMFS>': file('initramfs of a live PXE image of CoreOS: a file, a URL, or "-" for standard input'),
  ...customizeOptions,
  ...under('Output:', {
    ...configOptions,
    '-o, --output <path>': common(required(file('new file to write; "-" is standard output'))),
    ...newFileOptions,
  }),
};

const wrapOutputOptions = {
  '-o, --output <path>': file('file to write or replace (default: standard output)'),
  '--mode <octal>': freeText(NEW_FILE_MODE),
};

export const wrapIgnitionOptions = {
  '-i, --ignition-file <path>': file('Ignition config to wrap (default: standard input)'),
  ...wrapOutputOptions,
  ...configOptions,
};

export const wrapNetworkOptions = { ...networkOptions, ...wrapOutputOptions };

export const unwrapIgnitionOptions = {
  '[INITRD]': file('archive or initramfs: a file or a URL (default: standard input)'),
};

export const unwrapNetworkOptions = { ...unwrapIgnitionOptions, ...networkOutputOptions };

export type KargsOptions = OptionsOf<typeof kargsOptions>;
export type PxeCustomizeOptions = OptionsOf<typeof pxeCustomizeOptions>;
export type WrapOutput = OptionsOf<typeof wrapOutputOptions>;
export type WrapIgnitionOptions = OptionsOf<typeof wrapIgnitionOptions>;
export type UnwrapIgnitionOptions = OptionsOf<typeof unwrapIgnitionOptions>;
export type WrapNetworkOptions = OptionsOf<typeof wrapNetworkOptions>;
export type UnwrapNetworkOptions = OptionsOf<typeof unwrapNetworkOptions>;
