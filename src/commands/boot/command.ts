/** Declares `boot`. */

import { command } from '../../io/commandLine.ts';
import { bootOptions } from './options.ts';

export const bootCommand = command({
  description: 'Boot machines from an ISO by their BMCs (Redfish) until the agents call home',
  options: bootOptions,
  reference: `
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
`,
  details: `
Environment:
  IRONIC_COREOS_BMC_USERNAME, IRONIC_COREOS_BMC_PASSWORD
                              credentials of all BMCs without a file
`,
  exitCodes: {
    0: 'success: all agents called home; with --check: all machines can be booted',
    1: 'failure: a machine cannot be booted, did not call home, or is not restored',
  },
  examples: `
  ironic-coreos boot --all --inventory ramdisk.yaml --check
  ironic-coreos boot worker-0 worker-1 --inventory ramdisk.yaml \\
    --iso fedora-coreos.iso --ironic-url http://192.0.2.1:6385 --yes
  ironic-coreos boot --bmc https://192.0.2.10 --credentials bmc.yaml \\
    --iso worker-0.iso
`,
  load: async () => {
    const { boot: run } = await import('./boot.ts');
    return ({ host, ...options }, io) => run(host, options, io);
  },
});
