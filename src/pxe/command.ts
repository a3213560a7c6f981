/** Declares `pxe`, the commands for booting from the network. */

import { type Command, Option } from 'commander';
import type { KargsOptions } from './kargs.ts';
import {
  CUSTOMIZE_NOTES,
  declareCustomizeOptions,
  declareNetworkFiles,
  declareNetworkOutput,
  declareNewFile,
  NEW_FILE_MODE,
} from '../customize/commandOptions.ts';
import { settingFlags } from '../hosts/settings/options.ts';
import {
  choice,
  declareTable,
  type TableEntry,
  type Context,
  EXIT_CODES,
  declareRun,
  repeated,
} from '../io/commandLine.ts';
import type { PxeCustomizeOptions } from './customize.ts';
import type { UnwrapNetworkOptions, WrapIgnitionOptions, WrapNetworkOptions } from './wrap.ts';

const KARGS_NOTES = `
Where settings come from:
  A flag beats the environment, the environment beats the inventory, and there
  the overrides of --host beat what is for all hosts. The settings are boot.*,
  host.consoles and proxy.*. IRONIC_ROOTFS_URL counts, and so do IRONIC_BASE_URL
  and, beside it, HTTP_PROXY, HTTPS_PROXY and NO_PROXY.

Proxies:
  A proxy is written as systemd.setenv=, for the initramfs that fetches the root
  filesystem; the services of the ramdisk get it, too, so the hosts of Ironic
  (--api-url) are added to --no-proxy. Ignition takes no proxy from here. The
  kernel arguments can be read by every program of the machine, passwords
  included.
${EXIT_CODES}
Examples:
  ironic-coreos pxe kargs --base-url http://192.0.2.1/images --embedded \\
    --ip dhcp --console ttyS0,115200n8 --format ironic
  ironic-coreos pxe kargs --base-url http://192.0.2.1/images \\
    --ignition-url https://192.0.2.1/agent.ign --format ipxe -o boot.ipxe
  ironic-coreos pxe kargs --inventory ramdisk.yaml --host worker-0
`;

const CUSTOMIZE_PXE_NOTES = `${CUSTOMIZE_NOTES}
Where an Ignition config comes out, the boot entry has to have the kernel
arguments ignition.firstboot ignition.platform.id=metal.
${EXIT_CODES}
Examples:
  ironic-coreos pxe customize --live-ignition ironic-agent.ign \\
    -o ironic-python-agent.initramfs coreos-live-initramfs.img
  ironic-coreos pxe customize --dest-device /dev/sda --dest-ignition site.ign \\
    -o - coreos-live-initramfs.img > install.img
`;

const WRAP_IGNITION_NOTES = `
Boot with the archive as a further initrd, or appended to the initramfs, and
with the kernel arguments ignition.firstboot ignition.platform.id=metal. The
config is checked first, as for "iso ignition embed".
${EXIT_CODES}
Examples:
  ironic-coreos pxe ignition wrap -i ironic-agent.ign -o config.img
  ironic-coreos pxe ignition wrap < ironic-agent.ign |
    cat initramfs.img - > ipa-initramfs.img
`;

const UNWRAP_IGNITION_NOTES = `${EXIT_CODES}
Examples:
  ironic-coreos pxe ignition unwrap config.img
  ironic-coreos pxe ignition unwrap ipa-initramfs.img
`;

const WRAP_NETWORK_NOTES = `
Boot with the archive as a further initrd, or appended to the initramfs. The
files keep their names without folders; an nmstate description becomes a file
for each connection, such as eth0.nmconnection.
${EXIT_CODES}
Examples:
  ironic-coreos pxe network wrap -k eth0.nmconnection -o network.img
  ironic-coreos pxe network wrap --nmstate worker-0.yaml |
    cat initramfs.img - > worker-0-initramfs.img
`;

const UNWRAP_NETWORK_NOTES = `${EXIT_CODES}
Examples:
  ironic-coreos pxe network unwrap network.img
  ironic-coreos pxe network unwrap -C connections worker-0-initramfs.img
`;

const IGNITION_TABLE: readonly TableEntry[] = [
  { name: 'wrap', summary: 'wrap an Ignition config', declare: declareWrapIgnition },
  { name: 'unwrap', summary: 'print a wrapped Ignition config', declare: declareUnwrapIgnition },
];

const NETWORK_TABLE: readonly TableEntry[] = [
  { name: 'wrap', summary: 'wrap network settings', declare: declareWrapNetwork },
  { name: 'unwrap', summary: 'extract wrapped network settings', declare: declareUnwrapNetwork },
];

const TABLE: readonly TableEntry[] = [
  { name: 'kargs', summary: 'write kernel arguments or a boot script', declare: declareKargs },
  {
    name: 'customize',
    summary: 'customise a live initramfs, e.g. to install on its own',
    declare: declarePxeCustomize,
  },
  {
    name: 'ignition',
    summary: 'Wrap an Ignition config for network boot, or print a wrapped one.',
    declare: (ignition, context) => declareTable(ignition, IGNITION_TABLE, context),
  },
  {
    name: 'network',
    summary: 'Wrap network settings for network boot, or extract wrapped ones.',
    declare: (network, context) => declareTable(network, NETWORK_TABLE, context),
  },
];

export function declarePxe(pxe: Command, context: Context): Promise<void> {
  return declareTable(pxe, TABLE, context);
}

/** The flags for settings are those of the table of settings. */
function declareKargs(command: Command, context: Context): void {
  command.description(
    'Writes the kernel arguments that boot CoreOS with ironic-python-agent from the network: as one line, for ' +
      'ironic.conf, or inside a boot script. The Ignition config comes from --ignition-url, or is embedded in the ' +
      'initramfs (--embedded).',
  );
  command.optionsGroup('Boot:');
  declareSettings(command, 'boot');
  command.addOption(
    repeated('--console <spec>', 'console, e.g. ttyS0,115200n8; repeatable, the last is /dev/console'),
  );
  command.optionsGroup('Proxies:');
  declareSettings(command, 'proxy', 'ironic.apiUrls');
  command
    .optionsGroup('Input and output:')
    .option('--inventory <file>', 'settings and hosts, as for render')
    .option('--host <name>', 'a host of the inventory')
    .addOption(
      choice('--format <form>', 'plain (default), ironic, ipxe, grub, pxelinux or json', [
        'plain',
        'ironic',
        'ipxe',
        'grub',
        'pxelinux',
        'json',
      ]),
    )
    .option('-o, --output <file>', 'write to a file instead of standard output');
  const run = async (options: KargsOptions) => (await import('./kargs.ts')).kargs(options, context.io);
  declareRun(command, KARGS_NOTES, run, context);
}

function declareSettings(command: Command, ...names: readonly string[]): void {
  for (const { flag, help, kind } of settingFlags(...names)) {
    const isList = kind === 'texts' || kind === 'files';
    const option = isList ? repeated(flag, help) : new Option(flag, help);
    option.negate = false; // --no-proxy is no negation
    command.addOption(option);
  }
}

function declarePxeCustomize(command: Command, context: Context): void {
  command
    .description(
      'Writes a customised copy of the initramfs of a live PXE image: what it installs, where, and with which ' +
        'settings, and the live system itself.',
    )
    .argument('<initramfs>', 'initramfs of a live PXE image of CoreOS');
  declareCustomizeOptions(command)
    .optionsGroup('Output:')
    .option('--no-validate', 'take Ignition configs without checking what they say')
    .requiredOption('-o, --output <path>', 'write the result to a new file; "-" is standard output');
  const run = async (initrd: string, options: Omit<PxeCustomizeOptions, 'initrd'>) =>
    (await import('./customize.ts')).customizePxe({ ...options, initrd }, context.io);
  declareRun(declareNewFile(command), CUSTOMIZE_PXE_NOTES, run, context);
}

function declareWrapIgnition(command: Command, context: Context): void {
  command
    .description('Makes an archive with an Ignition config, for booting from the network.')
    .option('-i, --ignition-file <path>', 'Ignition config to wrap (default: standard input)');
  declareWrapOutput(command).option('--no-validate', 'wrap the config without checking it');
  const run = async (options: WrapIgnitionOptions) =>
    (await import('./wrap.ts')).wrapIgnition(options, context.io);
  declareRun(command, WRAP_IGNITION_NOTES, run, context);
}

function declareUnwrapIgnition(command: Command, context: Context): void {
  command
    .description('Prints the Ignition config in an archive or an initramfs, byte for byte.')
    .argument('[initrd]', ARCHIVE);
  const run = async (initrd: string | undefined) =>
    (await import('./wrap.ts')).unwrapIgnition({ initrd }, context.io);
  declareRun(command, UNWRAP_IGNITION_NOTES, run, context);
}

function declareWrapNetwork(command: Command, context: Context): void {
  command.description('Makes an archive with network settings, for booting from the network.');
  declareWrapOutput(declareNetworkFiles(command));
  const run = async (options: WrapNetworkOptions) =>
    (await import('./wrap.ts')).wrapNetwork(options, context.io);
  declareRun(command, WRAP_NETWORK_NOTES, run, context);
}

function declareUnwrapNetwork(command: Command, context: Context): void {
  command
    .description('Prints the network settings in an archive or an initramfs, or writes them to files.')
    .argument('[initrd]', ARCHIVE);
  const run = async (initrd: string | undefined, options: Omit<UnwrapNetworkOptions, 'initrd'>) =>
    (await import('./wrap.ts')).unwrapNetwork({ ...options, initrd }, context.io);
  declareRun(declareNetworkOutput(command), UNWRAP_NETWORK_NOTES, run, context);
}

const ARCHIVE = 'archive or initramfs (default: standard input)';

function declareWrapOutput(command: Command): Command {
  return command
    .option('-o, --output <path>', 'write to a file, which is replaced (default: standard output)')
    .option('--mode <octal>', NEW_FILE_MODE);
}
