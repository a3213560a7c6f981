/** What `prepare` takes. */

import { profileNames } from '../../agent/settings.ts';
import { artifactNames } from '../../hosts/plan/artifacts.ts';
import { imageOptions } from '../../hosts/plan/imageOptions.ts';
import { dhcpServers } from '../../kargs/dhcpServers.ts';
import {
  choice,
  common,
  file,
  toggle,
  folder,
  INVENTORY,
  type OptionsOf,
  freeText,
  under,
} from '../../io/commandLine.ts';

const layoutNames = ['folder', 'metal3', 'bifrost'] as const;

export type LayoutName = (typeof layoutNames)[number];

export const prepareOptions = {
  '--inventory <file>': common(file(INVENTORY)),
  '--profile <name>': choice(
    profileNames,
    `profile of the configs: ${profileNames.join(', ')} (default: default)`,
  ),
  '-o, --output <folder>': common(folder('folder to write')),
  '--base-url <url>': common(freeText('base URL of the folder on the web server')),
  '--artifacts <names>': common(
    freeText(`comma-separated list of ${artifactNames.join(', ')} (default: ign,ipxe,grub,pxelinux)`),
  ),
  '--dhcp-range <addresses>': common(
    freeText(
      'addresses of the hosts for dnsmasq.conf: FIRST,LAST, or ADDRESS,proxy if the network has a DHCP server (default: ' +
        'proxy mode in the network of the base URL)',
    ),
  ),
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
    '--grow': toggle('enlarge an ISO if the config does not fit into its reserved area'),
    '--mode <octal>': freeText('permissions of files with secrets (default: 0600)'),
    '--group <group>': common(
      freeText('group that can read files with secrets, e.g. that of the web server'),
    ),
    '--prune': common(toggle('remove files of earlier runs that are no longer needed')),
    '--force': toggle('write into a folder that contains other files'),
    '--fail-fast': toggle('stop at the first invalid host'),
    '--hardware <path>': file(
      'inspection data of machines to compare the hosts with: a file or a folder of "baremetal node inventory save", "try --save" or ' +
        'BareMetalHosts',
    ),
    '--bundle <file>': common(file('also pack the folder into this .tar or .tar.gz file')),
  }),
};

export type PrepareOptions = OptionsOf<typeof prepareOptions>;
