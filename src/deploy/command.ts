/** The commands for what goes to Ironic and to Metal3. */

import { type Command, Option } from 'commander';
import type { BareMetalHostOptions } from './bareMetalHost.ts';
import type { ConfigDriveOptions } from './configDrive.ts';
import type { IronicOptions } from './ironic.ts';
import type { NodeOptions } from './node.ts';
import type { StepsOptions } from './steps.ts';
import { choice, type Context, EXIT_CODES, declareRun, repeated } from '../io/commandLine.ts';

const stepsNotes = `
The steps themselves say only what is run. The Ignition config, the kernel
arguments and whether the network is copied go into the config drive, and
another image into the node, because that is where install_coreos reads them.
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

const configDriveNotes = `${EXIT_CODES}
Example:
  ironic-coreos deploy configdrive --ignition worker-3.ign \\
    --append-karg console=ttyS0,115200n8 --copy-network -o worker-3.json
  ironic-coreos deploy configdrive --inventory ramdisk.yaml -o drives
`;

const bareMetalHostNotes = `
The Secret with the credentials of the BMC is not written, so that they need not
be given here; create it with its two keys:
  kubectl create secret generic worker-3-bmc-secret \\
    --from-literal=username=… --from-file=password=…
${EXIT_CODES}
Example:
  ironic-coreos deploy baremetalhost --name worker-3 \\
    --bmc-address redfish-virtualmedia://192.0.2.13/redfish/v1/Systems/1 \\
    --boot-mac 52:54:00:12:34:56 --root-device name=/dev/nvme0n1 \\
    --ignition worker-3.ign | kubectl apply -f -
  ironic-coreos deploy baremetalhost --inventory ramdisk.yaml -o manifests
`;

const nodeNotes = `
User and password of the BMC are not written: the commands take them from
BMC_USERNAME and BMC_PASSWORD. With --format json or yaml the output is what
"baremetal create FILE" reads.
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

const inventoryNotes = `
Many hosts:
  The file is the one of "render --inventory". Below "deploy", of a host or of
  all hosts, it says what the options say, by their names in camel case:
  bmcAddress, deployIso, …; appendKargs is a list, rootDeviceHints a mapping.
  {name}, {mac}, {mac:hexhyp} and {architecture} stand for those of the host,
  also in options. MAC address, architecture and the network (nmstate) are those
  of the host itself. Options beat the file, and a host what is said of all.
  All hosts go into one document, or with -o FOLDER each into a file. A host
  that is wrong is reported, and the others are written; the exit code is 1.

    deploy:
      deployIso: http://192.0.2.1/{name}.iso
      rootDeviceHints: {minSizeGigabytes: 100, rotational: false}
    hosts:
    - name: worker-0
      mac: 52:54:00:12:34:56
      deploy:
        bmcAddress: redfish-virtualmedia://192.0.2.10/redfish/v1/Systems/1
`;

const ironicNotes = `${EXIT_CODES}
Examples:
  ironic-coreos deploy ironic --kernel-append-params "$(cat kargs.txt)" |
    kubectl apply --server-side -f -
  ironic-coreos deploy ironic --format env \\
    --deploy-iso http://192.0.2.1/ironic-python-agent.iso
`;

const STEPS = ['install_coreos', 'start_assisted_install'];

export function declareDeploy(deploy: Command, context: Context): void {
  declareSteps(deploy, context);
  declareConfigDrive(deploy, context);
  declareBareMetalHost(deploy, context);
  declareNode(deploy, context);
  declareIronic(deploy, context);
}

function declareSteps(deploy: Command, context: Context): void {
  const command = deploy
    .command('steps')
    .summary('write deploy steps for Ironic')
    .description(
      'Writes deploy steps as "baremetal node deploy" takes them, and the config drive that they read.',
    )
    .addOption(choice('--step <NAME>', 'install_coreos (default) or start_assisted_install', STEPS));
  declareInstall(command)
    .option('--config-drive <FILE>', 'where the config drive is written')
    .option('--image-source <URL>', 'another CoreOS to install; with --format command')
    .option('--ignition-in-args', "the config in the arguments of the step, as in Metal3's design")
    .option('--node <NAME>', 'name or UUID of the node; with --format command')
    .addOption(
      choice('--format <FORM>', 'json (default), yaml, or command: the whole of it for a shell', [
        'json',
        'yaml',
        'command',
      ]),
    );
  const run = async (options: StepsOptions) => (await import('./steps.ts')).steps(options, context.io);
  declareRun(declareInventory(declareOutput(command)), stepsNotes + inventoryNotes, run, context);
}

function declareConfigDrive(deploy: Command, context: Context): void {
  const command = deploy
    .command('configdrive')
    .summary('write the config drive of an installation')
    .description(
      'Writes the config drive that install_coreos reads: JSON, as Ironic hands it on to the agent.',
    );
  declareInstall(command)
    .addOption(new Option('--format <FORM>', 'json, the only form that is taken').hideHelp())
    .option('--pretty', 'indent the JSON');
  const run = async (options: ConfigDriveOptions) =>
    (await import('./configDrive.ts')).configDrive(options, context.io);
  declareRun(declareInventory(declareOutput(command)), configDriveNotes + inventoryNotes, run, context);
}

function declareBareMetalHost(deploy: Command, context: Context): void {
  const command = deploy
    .command('baremetalhost')
    .summary('write a BareMetalHost for Metal3, and its Secrets')
    .description(
      'Writes a BareMetalHost that has CoreOS installed by a deploy step, and the Secrets it refers to.',
    );
  declareHost(command)
    .option('--namespace <NAME>', 'of all objects (default: the one of kubectl)')
    .option('--bmc-credentials-name <NAME>', 'Secret with username and password (default: NAME-bmc-secret)')
    .addOption(
      choice('--boot-mode <MODE>', 'UEFI, UEFISecureBoot or legacy', ['UEFI', 'UEFISecureBoot', 'legacy']),
    )
    .addOption(choice('--automated-cleaning <MODE>', 'metadata or disabled', ['metadata', 'disabled']))
    .addOption(choice('--method <NAME>', 'install_coreos (default) or start_assisted_install', STEPS))
    .option('--nmstate <FILE>', 'network of the ramdisk, for image-customization-controller')
    .option('--network-data <FILE>', "network in OpenStack's form");
  declareInstall(command)
    .option('--user-data-name <NAME>', 'Secret with the config (default: NAME-user-data)')
    .option('--image-source <URL>', 'another CoreOS to install')
    .option('--image-checksum <SUM>', 'its SHA-256 or SHA-512, or a URL')
    .option('--image-format <FORM>', 'raw (default)')
    .addOption(choice('--format <FORM>', 'yaml (default) or json', ['yaml', 'json']));
  const run = async (options: BareMetalHostOptions) =>
    (await import('./bareMetalHost.ts')).bareMetalHost(options, context.io);
  declareRun(declareInventory(declareOutput(command)), bareMetalHostNotes + inventoryNotes, run, context);
}

function declareNode(deploy: Command, context: Context): void {
  const command = deploy
    .command('node')
    .summary('write a node for Ironic')
    .description('Writes the commands that create a node of Ironic, or change it, or its description.');
  declareRamdisk(declareHost(command))
    .option('--set', 'the node is there: change it')
    .addOption(
      choice('--format <FORM>', 'command (default), json, yaml, or driver-info: that part as JSON', [
        'command',
        'json',
        'yaml',
        'driver-info',
      ]),
    );
  const run = async (options: NodeOptions) => (await import('./node.ts')).node(options, context.io);
  declareRun(declareInventory(declareOutput(command)), nodeNotes + inventoryNotes, run, context);
}

function declareIronic(deploy: Command, context: Context): void {
  const command = deploy
    .command('ironic')
    .summary('write the ramdisk settings of ironic-standalone-operator')
    .description(
      'Writes the part of an Ironic resource that is about the ramdisk, for every host of that Ironic.',
    )
    .option('--name <NAME>', 'of the resource (default: ironic)')
    .option('--namespace <NAME>', 'of the resource (default: the one of kubectl)');
  declareRamdisk(command).addOption(
    choice('--format <FORM>', 'yaml (default), json, or env: the environment of the BareMetal Operator', [
      'yaml',
      'json',
      'env',
    ]),
  );
  const run = async (options: IronicOptions) => (await import('./ironic.ts')).ironic(options, context.io);
  declareRun(declareOutput(command), ironicNotes, run, context);
}

/** The hosts of a file instead of one host that is described by options. */
function declareInventory(command: Command): Command {
  return command
    .optionsGroup('Many hosts:')
    .option('--inventory <FILE>', 'hosts and what is said of them, as YAML or JSON: see below')
    .addOption(repeated('--host <NAME>', 'only this one of them; repeatable'))
    .option('--fail-fast', 'stop at the first host that is wrong');
}

function declareInstall(command: Command): Command {
  return command
    .option('--ignition <FILE>', 'Ignition config of the installed host; - is standard input')
    .addOption(repeated('--append-karg <ARG>', 'kernel argument of the installed host; repeatable'))
    .option('--copy-network', 'the installed host takes over the network of the ramdisk')
    .option('--no-copy-network', "it does not (default: the agent's own setting)");
}

function declareHost(command: Command): Command {
  return command
    .option('--name <NAME>', 'name of the host')
    .option('--boot-mac <MAC>', 'MAC address of the interface that it boots from')
    .addOption(
      choice('--arch <ARCH>', 'x86_64, aarch64, ppc64le or s390x', ['x86_64', 'aarch64', 'ppc64le', 's390x']),
    )
    .option('--bmc-address <URL>', 'as Metal3 has it, e.g. redfish://192.0.2.13/redfish/v1/Systems/1')
    .option('--bmc-insecure', 'do not verify the certificate of the BMC')
    .addOption(
      repeated('--root-device <NAME=HINT>', 'by what the disk is chosen, e.g. "size=>= 100"; repeatable'),
    );
}

function declareRamdisk(command: Command): Command {
  return command
    .option('--deploy-iso <URL>', 'ISO that runs the agent')
    .option('--deploy-kernel <URL>', 'kernel of CoreOS, with --deploy-ramdisk')
    .option('--deploy-ramdisk <URL>', 'initramfs of CoreOS')
    .option('--kernel-append-params <TEXT>', "their kernel arguments; %default% keeps the conductor's");
}

function declareOutput(command: Command): Command {
  return command.option(
    '-o, --output <FILE>',
    'write here, whole or not at all, instead of to standard output',
  );
}
