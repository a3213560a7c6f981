/** Declares `boot`. */

import type { Command } from 'commander';
import { choice, type Context, declareRun, declareShortHelp } from '../../io/commandLine.ts';
import { declareCatalogOptions } from '../serve/serviceOptions.ts';
import { declareIronicOptions, declareTrialOptions, declareUrlSigning } from '../try/trialOptions.ts';
import type { BootOptions } from './setup.ts';
import { declareImageOptions } from '../../hosts/plan/imageOptions.ts';

/** The options that most users need. */
const common = [
  '--inventory',
  '--bmc',
  '--credentials',
  '--ca-file',
  '--insecure',
  '--iso',
  '--check',
  '--method',
  '--yes',
  '--leave',
  '--timeout',
  '--format',
  '--listen',
  '--serve-listen',
  '--public-url',
  '--ironic-url',
];

const REFERENCE = `
Steps:
  boot checks the images, and reads and checks each BMC. Then it ejects media,
  inserts the ISO, shuts the machine down, sets the ISO as the next boot device,
  and powers the machine on. It follows the machine like try, with the same mock
  Ironic, until its agent calls home. At the end, also on Ctrl-C and after a
  failure, it powers the machine off, restores the boot device, ejects the ISO,
  and powers the machine on if it was on. It never changes firmware settings or
  disks.

Addresses of BMCs:
  As in a BareMetalHost, with +http or +https after the scheme (default: https):
  redfish-virtualmedia://HOST[:PORT][/redfish/v1/Systems/ID]
  redfish://, idrac-virtualmedia://, idrac-redfish://, ilo5-virtualmedia://,
  ilo5-redfish://
                       boot from virtual media
  redfish-uefihttp://  boot by UEFI HTTP
  --bmc also accepts https://HOST and http://HOST.

Credentials:
  A YAML or JSON file with username and password, or a Secret of Kubernetes.
  In the inventory: bmc.credentialsFile, for all hosts or for one. Without a
  file: the environment. There is no option for the password.

Servers:
  Images and the mock Ironic are served on the address from which this machine
  reaches the BMCs; if there are several, on all addresses, and each BMC gets a
  URL that it can reach. Set other addresses with --serve-listen, --public-url
  and --listen. Proxies are not used for BMCs.

Console:
  With --console-log, boot also reads the file to which another program appends
  the serial console of a host: FILE for one host, otherwise HOST=FILE. Its
  lines show how far the machine gets, and why it stopped.

Secure Boot, vendors and troubleshooting: docs/boot.md
`;

const NOTES = `
Environment:
  IRONIC_COREOS_BMC_USERNAME, IRONIC_COREOS_BMC_PASSWORD
                              credentials of all BMCs without a file

Exit codes:
  0  success: all agents called home; with --check: all machines can be booted
  1  failure: a machine cannot be booted, did not call home, or is not restored
  2  usage error

Examples:
  ironic-coreos boot worker-0 --inventory ramdisk.yaml --check
  ironic-coreos boot worker-0 worker-1 --inventory ramdisk.yaml \\
    --iso fedora-coreos.iso --ironic-url http://192.0.2.1:6385 --yes
  ironic-coreos boot --bmc https://192.0.2.10 --credentials bmc.yaml \\
    --iso worker-0.iso
`;

export function declareBoot(command: Command, context: Context): void {
  command
    .description('Boot machines from an ISO by their BMCs (Redfish) until the agents call home')
    .argument('[HOST...]', 'hosts of the inventory')
    .option('--inventory <file>', 'inventory with settings, hosts and their BMCs, YAML or JSON')
    .option('--check', 'only read the BMCs and report what prevents a boot')
    .addOption(
      choice(
        '--method <name>',
        'boot method: virtual-media or uefi-http (default: from the address of the BMC)',
        ['virtual-media', 'uefi-http'],
      ),
    )
    .option('-y, --yes', 'power off machines that are on, without confirmation')
    .option('--leave', 'leave the machines as they are at the end')
    .option('--parallel <number>', 'number of BMCs to use at the same time (default: 10)')
    .option(
      '--shutdown-timeout <time>',
      'time for a shutdown before the machine is forced off (default: 5m)',
    );
  declareTrialOptions(command);
  command
    .optionsGroup('BMC:')
    .option('--bmc <url>', 'address of the BMC, without an inventory')
    .option('--credentials <file>', 'file with user name and password of the BMCs')
    .option('--ca-file <file>', 'CA certificates of the BMCs, in PEM')
    .option('--mac <address>', 'MAC address of the machine, without an inventory (default: from the BMC)')
    .option('--insecure', 'do not verify the TLS certificates of the BMCs');
  command
    .optionsGroup('Servers:')
    .option('--ironic-url <url>', 'replace the Ironic URL of the inventory in the configs')
    .option('--serve-listen <address>', 'address and port for images (default: port 8084)')
    .option('--public-url <url>', 'base URL at which BMCs reach the images')
    .option('--listen <address>', 'address and port of the mock Ironic (default: port 6385)');
  declareUrlSigning(declareIronicOptions(command));
  declareCatalogOptions(command);
  declareImageOptions(command);
  declareShortHelp(command, common, REFERENCE);
  const run = async (names: readonly string[], options: BootOptions) =>
    (await import('./boot.ts')).boot(names, options, context.io);
  declareRun(command, NOTES, run, context);
}
