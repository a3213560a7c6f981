/** Declares `pxe`, the commands for network boot. */

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
import { settingFlags } from '../../hosts/settings/options.ts';
import {
  argumentRun,
  choice,
  declareOptions,
  declareTable,
  FILES_DIR,
  type CommandTable,
  type Context,
  EXIT_CODES,
  declareRun,
  declareShortHelp,
  repeated,
} from '../../io/commandLine.ts';

import type { WrapIgnitionOptions, WrapNetworkOptions } from './wrap.ts';

/** The options that most users need. */
const COMMON_KARGS = [
  '--base-url',
  '--ignition-url',
  '--embedded',
  '--no-coreos',
  '--ip',
  '--console',
  '--ipa',
  '--append',
  '--static',
  '--nmstate',
  '--inventory',
  '--host',
  '--format',
  '--output',
];

const KARGS_REFERENCE = `
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
`;

const KARGS_NOTES = `${EXIT_CODES}
Examples:
  ironic-coreos pxe kargs --base-url http://192.0.2.1/images --embedded \\
    --ip dhcp --console ttyS0,115200n8 --format ironic
  ironic-coreos pxe kargs --base-url http://192.0.2.1/images \\
    --ignition-url https://192.0.2.1/agent.ign --format ipxe -o boot.ipxe
  ironic-coreos pxe kargs --inventory ramdisk.yaml --host worker-0
  ironic-coreos pxe kargs --no-coreos --console ttyS0 --ipa debug=1 \\
    --format ironic
`;

const CUSTOMIZE_PXE_NOTES = `${CUSTOMIZE_NOTES}
Kernel arguments:
  If the result contains an Ignition config, the boot entry requires the kernel
  arguments ignition.firstboot ignition.platform.id=metal.
${EXIT_CODES}
Examples:
  ironic-coreos pxe customize --live-ignition ironic-agent.ign \\
    -o ironic-python-agent.initramfs coreos-live-initramfs.img
  ironic-coreos pxe customize --dest-device /dev/sda --dest-ignition site.ign \\
    -o - coreos-live-initramfs.img > install.img
`;

const WRAP_IGNITION_NOTES = `
Load the archive as an additional initrd, or append it to the initramfs. The
boot entry requires the kernel arguments ignition.firstboot
ignition.platform.id=metal. The command validates the config like
"iso ignition embed".
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
Load the archive as an additional initrd, or append it to the initramfs. The
files keep their names, without folders. An nmstate file or OpenStack network
data is converted to one keyfile per connection, for example eth0.nmconnection.
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

const IGNITION_TABLE: CommandTable = {
  wrap: { summary: 'Wrap an Ignition config in an archive', declare: declareWrapIgnition },
  unwrap: { summary: 'Print the Ignition config of an archive', declare: declareUnwrapIgnition },
};

const NETWORK_TABLE: CommandTable = {
  wrap: { summary: 'Wrap network settings in an archive', declare: declareWrapNetwork },
  unwrap: { summary: 'Extract the network settings of an archive', declare: declareUnwrapNetwork },
};

const TABLE: CommandTable = {
  kargs: { summary: 'Write the kernel arguments or a boot script', declare: declareKargs },
  customize: {
    summary: 'Customize a live initramfs, for example for automatic installation',
    declare: declarePxeCustomize,
  },
  ignition: {
    summary: 'Wrap or unwrap an Ignition config for network boot',
    declare: (ignition, context) => declareTable(ignition, IGNITION_TABLE, context),
  },
  network: {
    summary: 'Wrap or unwrap network settings for network boot',
    declare: (network, context) => declareTable(network, NETWORK_TABLE, context),
  },
};

export function declarePxe(pxe: Command, context: Context): Promise<void> {
  return declareTable(pxe, TABLE, context);
}

const FORMS = ['plain', 'ironic', 'ipxe', 'grub', 'pxelinux', 'json'];

/** The flags of settings come from the table of settings. */
function declareKargs(command: Command, context: Context): void {
  command.description(
    'Write the kernel arguments that boot CoreOS with ironic-python-agent from the network: as one line, for ' +
      'ironic.conf, or as a boot script. The Ignition config is fetched from --ignition-url, or is embedded in the ' +
      'initramfs (--embedded). With --no-coreos, the ramdisk is not CoreOS.',
  );
  command.optionsGroup('Boot:');
  declareSettings(command, 'boot');
  command.option(
    '--no-coreos',
    'the ramdisk is not CoreOS: write no arguments for Ignition and the root filesystem',
  );
  declareOptions(command, {
    '--console <spec>': { list: 'console, for example ttyS0,115200n8; the last console is /dev/console' },
  });
  command.optionsGroup('Network:');
  command.option('--static', 'add the network of the host as ip=, bond=, vlan= and nameserver= arguments');
  declareSettings(command, 'host.nmstate', 'host.networkData', 'host.keyfiles');
  command.optionsGroup('Proxies:');
  declareSettings(command, 'proxy', 'ironic.apiUrls');
  command
    .optionsGroup('Input and output:')
    .option('--inventory <file>', 'inventory with settings and hosts, YAML or JSON')
    .option('--host <name>', 'host of the inventory')
    .addOption(
      choice('--format <form>', 'plain, ironic, ipxe, grub, pxelinux or json (default: plain)', FORMS),
    )
    .option('-o, --output <file>', 'file to write (default: standard output)');
  const run = async (options: KargsOptions) => (await import('./kargs.ts')).kargs(options, context.io);
  declareShortHelp(command, COMMON_KARGS, KARGS_REFERENCE);
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
      'Write a customized copy of the initramfs of a live PXE image: the automatic installation, the installed ' +
        'system, and the live system',
    )
    .argument('<INITRAMFS>', 'initramfs of a live PXE image of CoreOS');
  declareCustomizeOptions(command)
    .optionsGroup('Output:')
    .option('--files-dir <folder>', FILES_DIR)
    .option('--no-validate', 'do not validate Ignition configs')
    .requiredOption('-o, --output <path>', 'new file to write; "-" is standard output');
  const run = argumentRun(['initrd'], context, async () => (await import('./customize.ts')).customizePxe);
  declareRun(declareNewFile(command), CUSTOMIZE_PXE_NOTES, run, context);
}

function declareWrapIgnition(command: Command, context: Context): void {
  command
    .description('Write an initramfs archive that contains an Ignition config, for network boot')
    .option('-i, --ignition-file <path>', 'Ignition config to wrap (default: standard input)');
  declareWrapOutput(command)
    .option('--files-dir <folder>', FILES_DIR)
    .option('--no-validate', 'do not validate the config');
  const run = async (options: WrapIgnitionOptions) =>
    (await import('./wrap.ts')).wrapIgnition(options, context.io);
  declareRun(command, WRAP_IGNITION_NOTES, run, context);
}

function declareUnwrapIgnition(command: Command, context: Context): void {
  command
    .description('Print the Ignition config of an archive or an initramfs, byte for byte')
    .argument('[INITRD]', ARCHIVE);
  const run = argumentRun(['initrd'], context, async () => (await import('./wrap.ts')).unwrapIgnition);
  declareRun(command, UNWRAP_IGNITION_NOTES, run, context);
}

function declareWrapNetwork(command: Command, context: Context): void {
  command.description('Write an initramfs archive that contains network settings, for network boot');
  declareWrapOutput(declareNetworkFiles(command));
  const run = async (options: WrapNetworkOptions) =>
    (await import('./wrap.ts')).wrapNetwork(options, context.io);
  declareRun(command, WRAP_NETWORK_NOTES, run, context);
}

function declareUnwrapNetwork(command: Command, context: Context): void {
  command
    .description('Print the network settings of an archive or an initramfs, or write them to files')
    .argument('[INITRD]', ARCHIVE);
  const run = argumentRun(['initrd'], context, async () => (await import('./wrap.ts')).unwrapNetwork);
  declareRun(declareNetworkOutput(command), UNWRAP_NETWORK_NOTES, run, context);
}

const ARCHIVE = 'archive or initramfs (default: standard input)';

function declareWrapOutput(command: Command): Command {
  return command
    .option('-o, --output <path>', 'file to write or replace (default: standard output)')
    .option('--mode <octal>', NEW_FILE_MODE);
}
