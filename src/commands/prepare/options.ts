/** What `prepare` takes. */

import { artifactNames } from '../../hosts/plan/artifacts.ts';
import { dhcpRangeOption, growOption, imageOptions } from '../../hosts/plan/imageOptions.ts';
import { failFastOption, profileOption } from '../../hosts/settings/options.ts';
import { dhcpServers } from '../../kargs/dhcpServers.ts';
import {
  choice,
  common,
  file,
  toggle,
  folder,
  HARDWARE,
  INVENTORY,
  type OptionsOf,
  freeText,
  under,
  withCommon,
} from '../../io/commandLine.ts';

const layoutNames = ['folder', 'metal3', 'bifrost'] as const;

export type LayoutName = (typeof layoutNames)[number];

export const prepareOptions = {
  '--inventory <file>': common(file(INVENTORY)),
  ...profileOption,
  '-o, --output <folder>': common(folder('folder to write')),
  '--base-url <url>': common(freeText('base URL of the folder on the web server')),
  '--artifacts <names>': common(
    freeText(`comma-separated list of ${artifactNames.join(', ')} (default: ign,ipxe,grub,pxelinux)`),
  ),
  ...withCommon(dhcpRangeOption('base URL'), '--dhcp-range <addresses>'),
  '--dhcp <server>': choice(
    dhcpServers,
    'DHCP server of the network, for which classes are written beside dnsmasq.conf: kea or isc',
  ),
  '--loaders': toggle(
    'also write shim and GRUB of the live ISOs, which UEFI with Secure Boot starts, and name them for the DHCP server',
  ),
  '--layout <name>': common(
    choice(layoutNames, `layout of the folder: ${layoutNames.join(', ')} (default: folder)`),
  ),
  ...imageOptions,
  ...under('Result:', {
    '--discovery': toggle('also write files for machines that are not in the inventory'),
    ...growOption,
    '--mode <octal>': freeText('permissions of files with secrets (default: 0600)'),
    '--group <group>': common(
      freeText('group that can read files with secrets, e.g. that of the web server'),
    ),
    '--prune': common(toggle('remove files of earlier runs that are no longer needed')),
    '--force': toggle('write into a folder that contains other files'),
    ...failFastOption,
    '--hardware <path>': file(HARDWARE),
    '--bundle <file>': common(file('also pack the folder into this .tar or .tar.gz file')),
  }),
};

export type PrepareOptions = OptionsOf<typeof prepareOptions>;
