/** Declares the `deploy` commands. */

import { type Command, Option } from 'commander';
import { type DeployOptions, deployRows, type DeployWord } from './settings.ts';
import {
  choice,
  type Context,
  EXIT_CODES,
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

const HARDWARE_NOTES = `
Hardware:
  --hardware FILE or FOLDER compares the host with its machine: the disk that
  the root device hints select, the boot MAC address, the interfaces of the
  network, the architecture. Files are those of "baremetal node inventory save",
  "try --save" or "kubectl get baremetalhosts,hardwaredata -o yaml". A machine
  has the name of its object or file, or the boot MAC address of the host.
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
  '--hardware',
  '--spec',
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
  '--hardware',
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
    .description('Write deploy steps for "baremetal node deploy", and the config drive that they read');
  declareSettings(command, 'steps')
    .option('--config-drive <file>', 'config drive file to write')
    .option('--ignition-in-args', "put the config into the arguments of the step, as in Metal3's design")
    .option('--node <name>', 'name or UUID of the node; requires --format command')
    .addOption(
      choice('--format <form>', 'json, yaml or command: shell commands for the deployment (default: json)', [
        'json',
        'yaml',
        'command',
      ]),
    );
  const run = async (options: DeployOptions) => (await import('./steps.ts')).steps(options, context.io);
  declareRun(declareHosts(command), STEPS_NOTES + INVENTORY_NOTES, run, context);
}

function declareConfigDrive(deploy: Command, context: Context): void {
  const command = deploy
    .command('configdrive')
    .summary('Write the config drive of an installation')
    .description('Write the config drive that install_coreos reads, as JSON for the API of Ironic');
  declareSettings(command, 'configdrive')
    .addOption(new Option('--format <form>', 'json, the only supported format').hideHelp())
    .option('--pretty', 'indent the JSON');
  const run = async (options: DeployOptions) =>
    (await import('./configDrive.ts')).configDrive(options, context.io);
  declareRun(declareHosts(command), CONFIG_DRIVE_NOTES + INVENTORY_NOTES, run, context);
}

function declareBareMetalHost(deploy: Command, context: Context): void {
  const command = deploy
    .command('baremetalhost')
    .summary('Write a BareMetalHost for Metal3, and its Secrets')
    .description(
      'Write a BareMetalHost that installs CoreOS with a deploy step, and the Secrets that it refers to',
    );
  declareSettings(command, 'baremetalhost').addOption(
    choice('--format <form>', 'output format: yaml or json (default: yaml)', ['yaml', 'json']),
  );
  const run = async (options: DeployOptions) =>
    (await import('./bareMetalHost.ts')).bareMetalHost(options, context.io);
  declareHosts(command);
  declareShortHelp(
    command,
    baremetalHostCommon,
    BARE_METAL_HOST_REFERENCE + HARDWARE_NOTES + INVENTORY_NOTES,
  );
  declareRun(command, BARE_METAL_HOST_NOTES, run, context);
}

function declareNode(deploy: Command, context: Context): void {
  const command = deploy
    .command('node')
    .summary('Write a node for Ironic')
    .description('Write a node for Ironic: commands that create or change it, or its description');
  declareSettings(command, 'node')
    .option('--set', 'change an existing node')
    .addOption(
      choice(
        '--format <form>',
        'command, json, yaml or driver-info: only driver_info as JSON (default: command)',
        ['command', 'json', 'yaml', 'driver-info'],
      ),
    );
  const run = async (options: DeployOptions) => (await import('./node.ts')).node(options, context.io);
  declareHosts(command);
  declareShortHelp(command, nodeCommon, NODE_REFERENCE + HARDWARE_NOTES + INVENTORY_NOTES);
  declareRun(command, NODE_NOTES, run, context);
}

function declareSettings(command: Command, word: DeployWord): Command {
  for (const [, { kind, flag, for: words, help, choices, negatedHelp }] of deployRows) {
    if (flag === undefined || words?.includes(word) === false) continue;
    const isList = kind === 'texts' || kind === 'hints';
    const option = isList ? repeated(flag, help) : new Option(flag, help);
    command.addOption(choices === undefined ? option : choice(flag, help, choices));
    if (negatedHelp !== undefined) command.option(flag.replace('--', '--no-'), negatedHelp);
  }
  return command;
}

/** Options for the output, and the hosts of an inventory. */
function declareHosts(command: Command): Command {
  return command
    .option('-o, --output <file>', 'file to write (default: standard output)')
    .optionsGroup('Many hosts:')
    .option('--inventory <file>', 'inventory with settings and hosts, YAML or JSON')
    .addOption(repeated('--host <name>', 'only this host of the inventory; repeatable'))
    .option('--fail-fast', 'stop at the first invalid host');
}
