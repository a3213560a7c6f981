/** Declares the `deploy` commands. */

import { type Command, Option } from 'commander';
import { architectures } from '../../core/architecture.ts';
import { bootModes, cleaningModes, inspectionModes } from './documents/host.ts';
import { bootInterfaces, deployInterfaces, inspectInterfaces } from './documents/interfaces.ts';
import { stepNames } from '../../core/installSteps.ts';
import type { BareMetalHostOptions, ConfigDriveOptions, NodeOptions, StepsOptions } from './options.ts';
import {
  choice,
  type Context,
  EXIT_CODES,
  FILES_DIR,
  declareRun,
  declareShortHelp,
  repeated,
} from '../../io/commandLine.ts';

const STEPS_NOTES = `
Deploy steps contain only the name of the step. install_coreos reads the
Ignition config, the kernel arguments and whether to copy the network from the
config drive. It reads the URL of another image from the node.

The deploy interface custom-agent runs the steps, and is off by default: a
message names the line for ironic.conf. With an image and its checksum, direct
also runs install_coreos: then a second step leaves out that Ironic writes the
image itself.

The steps are those of the hardware manager ironic_coreos_install in the agent
image. To check that your image has them, boot it with the mock Ironic:
ironic-coreos try --require-step install_coreos
${EXIT_CODES}
Examples:
  ironic-coreos deploy steps --ignition worker-3.ign \\
    --config-drive worker-3.json > steps.json
  ironic-coreos deploy steps --format command --node worker-3 \\
    --ignition worker-3.ign --config-drive worker-3.json
  baremetal node deploy worker-3 --deploy-steps steps.json \\
    --config-drive worker-3.json
  ironic-coreos deploy steps --inventory ramdisk.yaml --format command \\
    --config-drive drives/{name}.json
`;

const CONFIG_DRIVE_NOTES = `${EXIT_CODES}
Examples:
  ironic-coreos deploy configdrive --ignition worker-3.ign \\
    --append-karg console=ttyS0,115200n8 --copy-network -o worker-3.json
  ironic-coreos deploy configdrive --inventory ramdisk.yaml -o drives
`;

const BARE_METAL_HOST_REFERENCE = `
BMC credentials:
  The Secret with the BMC credentials is not written. Create it with:
  kubectl create secret generic worker-3-bmc-secret \\
    --from-literal=username=… --from-file=password=…
`;

const BARE_METAL_HOST_NOTES = `${EXIT_CODES}
Examples:
  ironic-coreos deploy baremetalhost --name worker-3 \\
    --bmc-address redfish-virtualmedia://192.0.2.13/redfish/v1/Systems/1 \\
    --boot-mac 52:54:00:12:34:56 --root-device name=/dev/nvme0n1 \\
    --ignition worker-3.ign | kubectl apply -f -
  ironic-coreos deploy baremetalhost --inventory ramdisk.yaml -o manifests
`;

const NODE_REFERENCE = `
Interfaces:
  The conductor chooses interfaces that are not given, among those that it
  enables. If it must enable one that is off by default in Ironic, a message
  names the line for ironic.conf.
`;

const NODE_NOTES = `
BMC credentials are not written: the commands read BMC_USERNAME and
BMC_PASSWORD. Pass the output of --format json or yaml to
"baremetal create FILE".
${EXIT_CODES}
Examples:
  ironic-coreos deploy node --name worker-3 --boot-mac 52:54:00:12:34:56 \\
    --bmc-address idrac-virtualmedia://192.0.2.13 --root-device "size=>= 100" \\
    --deploy-iso http://192.0.2.1/worker-3.iso
  ironic-coreos deploy node --name worker-3 --set \\
    --deploy-kernel http://192.0.2.1/ipa.kernel \\
    --deploy-ramdisk http://192.0.2.1/worker-3.initramfs \\
    --kernel-append-params "$(ironic-coreos pxe kargs --embedded \\
      --rootfs-url http://192.0.2.1/ipa.rootfs)"
  ironic-coreos deploy node --inventory ramdisk.yaml --format json > nodes.json
`;

const INVENTORY_NOTES = `
Many hosts:
  --inventory reads the same file as "render --inventory". Its key "deploy", of
  a host or of all hosts, contains the options under their names in camel case:
  bmcAddress, deployIso, …; appendKargs is a list, rootDeviceHints a mapping.
  In these values and in options, the command replaces {name}, {mac},
  {mac:hexhyp} and {architecture} with the values of the host. The MAC address,
  the architecture and the network come from the entry of the host. Options
  override the inventory, and settings of a host override those of all hosts.
  All hosts are written to one document, or with -o FOLDER to one file per host.
  Invalid hosts are reported and skipped.

    deploy:
      deployIso: http://192.0.2.1/{name}.iso
      rootDeviceHints: {minSizeGigabytes: 100, rotational: false}
    hosts:
    - name: worker-0
      mac: 52:54:00:12:34:56
      deploy:
        bmcAddress: redfish-virtualmedia://192.0.2.10/redfish/v1/Systems/1
`;

/** The options of `deploy baremetalhost` that most users need. */
const baremetalHostCommon = [
  '--name',
  '--bmc-address',
  '--bmc-insecure',
  '--boot-mac',
  '--root-device',
  '--boot-mode',
  '--ignition',
  '--append-karg',
  '--copy-network',
  '--nmstate',
  '--inventory',
  '--host',
  '--output',
  '--format',
];

/** The options of `deploy node` that most users need. */
const nodeCommon = [
  '--name',
  '--bmc-address',
  '--bmc-insecure',
  '--boot-mac',
  '--root-device',
  '--deploy-iso',
  '--deploy-kernel',
  '--deploy-ramdisk',
  '--kernel-append-params',
  '--deploy-interface',
  '--inspect-interface',
  '--set',
  '--inventory',
  '--host',
  '--output',
  '--format',
];

export function declareDeploy(deploy: Command, context: Context): void {
  declareSteps(deploy, context);
  declareConfigDrive(deploy, context);
  declareBareMetalHost(deploy, context);
  declareNode(deploy, context);
}

function declareSteps(deploy: Command, context: Context): void {
  const command = deploy
    .command('steps')
    .summary('Write deploy steps for Ironic')
    .description('Write deploy steps for "baremetal node deploy", and the config drive that they read')
    .addOption(
      choice(
        '--step <name>',
        'install_coreos or start_assisted_install (default: install_coreos)',
        stepNames,
      ),
    );
  declareInstall(command)
    .option('--config-drive <file>', 'config drive file to write')
    .option(
      '--image-source <url>',
      'image URL of another CoreOS to install (default: the CoreOS of the ramdisk)',
    )
    .option('--image-checksum <sum>', CHECKSUM_TEXT)
    .addOption(
      choice(
        '--deploy-interface <name>',
        'custom-agent; with image and checksum also direct (then the default) or autodetect',
        ['custom-agent', 'direct', 'autodetect'],
      ),
    )
    .option('--ignition-in-args', "put the config into the arguments of the step, as in Metal3's design")
    .option('--node <name>', 'name or UUID of the node; requires --format command')
    .addOption(
      choice('--format <form>', 'json, yaml or command: shell commands for the deployment (default: json)', [
        'json',
        'yaml',
        'command',
      ]),
    );
  const run = async (options: StepsOptions) => (await import('./steps.ts')).steps(options, context.io);
  declareRun(declareInventory(declareOutput(command)), STEPS_NOTES + INVENTORY_NOTES, run, context);
}

function declareConfigDrive(deploy: Command, context: Context): void {
  const command = deploy
    .command('configdrive')
    .summary('Write the config drive of an installation')
    .description('Write the config drive that install_coreos reads, as JSON for the API of Ironic');
  declareInstall(command)
    .addOption(new Option('--format <form>', 'json, the only supported format').hideHelp())
    .option('--pretty', 'indent the JSON');
  const run = async (options: ConfigDriveOptions) =>
    (await import('./configDrive.ts')).configDrive(options, context.io);
  declareRun(declareInventory(declareOutput(command)), CONFIG_DRIVE_NOTES + INVENTORY_NOTES, run, context);
}

function declareBareMetalHost(deploy: Command, context: Context): void {
  const command = deploy
    .command('baremetalhost')
    .summary('Write a BareMetalHost for Metal3, and its Secrets')
    .description(
      'Write a BareMetalHost that installs CoreOS with a deploy step, and the Secrets that it refers to',
    );
  declareHost(command)
    .option('--namespace <name>', 'namespace of all objects (default: the namespace that kubectl uses)')
    .option(
      '--bmc-credentials-name <name>',
      'existing Secret with the BMC credentials (default: NAME-bmc-secret)',
    )
    .addOption(choice('--boot-mode <mode>', 'boot mode: UEFI, UEFISecureBoot or legacy', bootModes))
    .addOption(
      choice('--automated-cleaning <mode>', 'automated cleaning mode: metadata or disabled', cleaningModes),
    )
    .addOption(
      choice(
        '--inspection-mode <mode>',
        'inspection: agent, fast (by the BMC only) or disabled (default: agent)',
        inspectionModes,
      ),
    )
    .addOption(repeated('--label <name=value>', 'label of the host; repeatable'))
    .addOption(
      choice(
        '--method <name>',
        'deploy step: install_coreos or start_assisted_install (default: install_coreos)',
        stepNames,
      ),
    )
    .option('--nmstate <file>', 'nmstate network configuration of the ramdisk')
    .option('--network-data <file>', 'OpenStack network data for the config drive (network_data.json)');
  declareInstall(command)
    .option('--user-data-name <name>', 'name of the Secret with the config (default: NAME-user-data)')
    .option('--image-source <url>', 'image URL of another CoreOS to install');
  declareDeployment(
    command,
    'deploy interface; custom-agent writes customDeploy, others only an image',
  ).addOption(choice('--format <form>', 'output format: yaml or json (default: yaml)', ['yaml', 'json']));
  const run = async (options: BareMetalHostOptions) =>
    (await import('./bareMetalHost.ts')).bareMetalHost(options, context.io);
  declareInventory(declareOutput(command));
  declareShortHelp(command, baremetalHostCommon, BARE_METAL_HOST_REFERENCE + INVENTORY_NOTES);
  declareRun(command, BARE_METAL_HOST_NOTES, run, context);
}

function declareNode(deploy: Command, context: Context): void {
  const command = deploy
    .command('node')
    .summary('Write a node for Ironic')
    .description('Write a node for Ironic: commands that create or change it, or its description');
  declareRamdisk(declareHost(command))
    .addOption(
      choice(
        '--inspect-interface <name>',
        'inspect interface: redfish, agent, no-inspect or idrac-redfish (default: that of the conductor)',
        inspectInterfaces,
      ),
    )
    .addOption(
      choice(
        '--boot-interface <name>',
        `boot interface (default: by the BMC address): ${bootInterfaces.join(', ')}`,
        bootInterfaces,
      ),
    )
    .option('--image-source <url>', 'image to install, if Ironic installs it');
  declareDeployment(command, 'deploy interface')
    .option('--set', 'change an existing node')
    .addOption(
      choice(
        '--format <form>',
        'command, json, yaml or driver-info: only driver_info as JSON (default: command)',
        ['command', 'json', 'yaml', 'driver-info'],
      ),
    );
  const run = async (options: NodeOptions) => (await import('./node.ts')).node(options, context.io);
  declareInventory(declareOutput(command));
  declareShortHelp(command, nodeCommon, NODE_REFERENCE + INVENTORY_NOTES);
  declareRun(command, NODE_NOTES, run, context);
}

const CHECKSUM_TEXT = 'checksum of the image: SHA-256, SHA-512 or the URL of a checksum file';

/** Options for what is deployed, besides `--image-source`. */
function declareDeployment(command: Command, interfaceText: string): Command {
  return command
    .option('--image-checksum <sum>', CHECKSUM_TEXT)
    .option('--image-format <form>', 'format of the image: raw or qcow2')
    .option('--boot-iso <url>', 'live ISO that the host boots, instead of an installation')
    .addOption(
      choice(
        '--deploy-interface <name>',
        `${interfaceText}: ${deployInterfaces.join(', ')}`,
        deployInterfaces,
      ),
    );
}

/** Options for the hosts of an inventory. */
function declareInventory(command: Command): Command {
  return command
    .optionsGroup('Many hosts:')
    .option('--inventory <file>', 'inventory with settings and hosts, YAML or JSON')
    .addOption(repeated('--host <name>', 'only this host of the inventory; repeatable'))
    .option('--fail-fast', 'stop at the first invalid host');
}

function declareInstall(command: Command): Command {
  return command
    .option('--ignition <file>', 'config for the installed host, or - for standard input')
    .option('--files-dir <folder>', FILES_DIR)
    .addOption(repeated('--append-karg <arg>', 'kernel argument for the installed host; repeatable'))
    .option('--copy-network', 'copy the network of the ramdisk to the installed host')
    .option('--no-copy-network', 'do not copy the network (default: the setting of the agent)');
}

function declareHost(command: Command): Command {
  return command
    .option('--name <name>', 'name of the host')
    .option('--boot-mac <mac>', 'MAC address of the boot interface')
    .addOption(choice('--arch <arch>', 'architecture: x86_64, aarch64, ppc64le or s390x', architectures))
    .option('--bmc-address <url>', 'address of the BMC, e.g. redfish://192.0.2.13/redfish/v1/Systems/1')
    .option('--bmc-insecure', "do not verify the BMC's TLS certificate")
    .addOption(repeated('--root-device <name=hint>', 'root device hint, e.g. "size=>= 100"; repeatable'));
}

function declareRamdisk(command: Command): Command {
  return command
    .option('--deploy-iso <url>', 'live ISO that runs the agent')
    .option('--deploy-kernel <url>', 'kernel that runs the agent; requires --deploy-ramdisk')
    .option('--deploy-ramdisk <url>', 'initramfs that runs the agent; requires --deploy-kernel')
    .option(
      '--kernel-append-params <text>',
      'kernel arguments; for a node, %default% inserts those of the conductor',
    );
}

function declareOutput(command: Command): Command {
  return command.option('-o, --output <file>', 'file to write (default: standard output)');
}
