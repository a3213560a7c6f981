/** Declares `pxe`, the commands for network boot. */

import { command, type CommandGroup } from '../../io/commandLine.ts';
import { CUSTOMIZE_NOTES } from '../customize/options.ts';
import {
  kargsOptions,
  pxeCustomizeOptions,
  unwrapIgnitionOptions,
  unwrapNetworkOptions,
  wrapIgnitionOptions,
  wrapNetworkOptions,
} from './options.ts';

const kargs = command({
  summary: 'Write the kernel arguments or a boot script',
  description:
    'Write the kernel arguments that boot CoreOS with ironic-python-agent from the network: as one line, for ' +
    'ironic.conf, or as a boot script. The Ignition config is fetched from --ignition-url, or is embedded in the ' +
    'initramfs (--embedded). With --no-coreos, the ramdisk is not CoreOS.',
  options: kargsOptions,
  reference: `
Precedence of settings:
  Options override the environment, and the environment overrides the inventory.
  In the inventory, the overrides of --host override the common settings. The
  command uses the settings boot.*, host.consoles and proxy.*. It reads
  IRONIC_ROOTFS_URL, IRONIC_BASE_URL and, if IRONIC_BASE_URL is set, HTTP_PROXY,
  HTTPS_PROXY and NO_PROXY.

Hosts without DHCP:
  --static writes the network of a host for an initramfs that has no keyfiles.
  It refuses a network that kernel arguments cannot describe. The artifacts of
  prepare and serve contain the network in the initramfs and do not need this.

Other ramdisks:
  --no-coreos is for a ramdisk with another system, for example that of
  ironic-python-agent-builder. It has no Ignition and no root filesystem to
  fetch. --ip and --static write arguments of dracut; a ramdisk without dracut
  may ignore them.

Proxies:
  Proxies are passed as systemd.setenv= arguments. The initramfs uses them to
  fetch the root filesystem, and so do the services of the ramdisk. Therefore
  the hosts of Ironic (--api-url) are added to --no-proxy. Ignition does not use
  these proxies. Every program on the machine can read the kernel arguments,
  including passwords in proxy URLs.
`,
  examples: `
  ironic-coreos pxe kargs --base-url http://192.0.2.1/images --embedded \\
    --ip dhcp --console ttyS0,115200n8 --format ironic
  ironic-coreos pxe kargs --base-url http://192.0.2.1/images \\
    --ignition-url https://192.0.2.1/agent.ign --format ipxe -o boot.ipxe
  ironic-coreos pxe kargs --inventory ramdisk.yaml --host worker-0
  ironic-coreos pxe kargs --no-coreos --console ttyS0 --ipa debug=1 \\
    --format ironic
`,
  load: async () => (await import('./kargs.ts')).kargs,
});

const customize = command({
  summary: 'Customize a live initramfs, for example for automatic installation',
  description:
    'Write a customized copy of the initramfs of a live PXE image: the automatic installation, the installed ' +
    'system, and the live system',
  options: pxeCustomizeOptions,
  details: `${CUSTOMIZE_NOTES}
Kernel arguments:
  If the result contains an Ignition config, the boot entry requires the kernel
  arguments ignition.firstboot ignition.platform.id=metal.
`,
  examples: `
  ironic-coreos pxe customize --live-ignition ironic-agent.ign \\
    -o ironic-python-agent.initramfs coreos-live-initramfs.img
  ironic-coreos pxe customize --dest-device /dev/sda --dest-ignition site.ign \\
    -o - coreos-live-initramfs.img > install.img
`,
  load: async () => (await import('./customize.ts')).customizePxe,
});

const wrapIgnition = command({
  summary: 'Wrap an Ignition config in an archive',
  description: 'Write an initramfs archive that contains an Ignition config, for network boot',
  options: wrapIgnitionOptions,
  details: `
Load the archive as an additional initrd, or append it to the initramfs. The
boot entry requires the kernel arguments ignition.firstboot
ignition.platform.id=metal. The command validates the config like
"iso ignition embed".
`,
  examples: `
  ironic-coreos pxe ignition wrap -i ironic-agent.ign -o config.img
  ironic-coreos pxe ignition wrap < ironic-agent.ign |
    cat initramfs.img - > ipa-initramfs.img
`,
  load: async () => (await import('./wrap.ts')).wrapIgnition,
});

const unwrapIgnition = command({
  summary: 'Print the Ignition config of an archive',
  description: 'Print the Ignition config of an archive or an initramfs, byte for byte',
  options: unwrapIgnitionOptions,
  examples: `
  ironic-coreos pxe ignition unwrap config.img
  ironic-coreos pxe ignition unwrap ipa-initramfs.img
`,
  load: async () => (await import('./wrap.ts')).unwrapIgnition,
});

const wrapNetwork = command({
  summary: 'Wrap network settings in an archive',
  description: 'Write an initramfs archive that contains network settings, for network boot',
  options: wrapNetworkOptions,
  details: `
Load the archive as an additional initrd, or append it to the initramfs. The
files keep their names, without folders. An nmstate file or OpenStack network
data is converted to one keyfile per connection, for example eth0.nmconnection.
`,
  examples: `
  ironic-coreos pxe network wrap -k eth0.nmconnection -o network.img
  ironic-coreos pxe network wrap --nmstate worker-0.yaml |
    cat initramfs.img - > worker-0-initramfs.img
`,
  load: async () => (await import('./wrap.ts')).wrapNetwork,
});

const unwrapNetwork = command({
  summary: 'Extract the network settings of an archive',
  description: 'Print the network settings of an archive or an initramfs, or write them to files',
  options: unwrapNetworkOptions,
  examples: `
  ironic-coreos pxe network unwrap network.img
  ironic-coreos pxe network unwrap -C connections worker-0-initramfs.img
`,
  load: async () => (await import('./wrap.ts')).unwrapNetwork,
});

const ignition: CommandGroup = {
  summary: 'Wrap or unwrap an Ignition config for network boot',
  commands: { wrap: wrapIgnition, unwrap: unwrapIgnition },
};

const network: CommandGroup = {
  summary: 'Wrap or unwrap network settings for network boot',
  commands: { wrap: wrapNetwork, unwrap: unwrapNetwork },
};

export const pxe: CommandGroup = { commands: { kargs, customize, ignition, network } };
