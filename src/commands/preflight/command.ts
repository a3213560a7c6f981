/** Declares `preflight`. */

import { command } from '../../io/commandLine.ts';
import { preflightOptions } from './options.ts';

export const preflightCommand = command({
  description: 'Ask the servers that the hosts of an inventory need, before a machine boots',
  options: preflightOptions,
  details: `
Checks, from this machine:
  bmc         login, virtual media and UEFI HTTP boot, by Redfish; whether the
              network settings of the BMC allow it to reach the image
  boot-file   kernel, initramfs, root filesystem, ISO and config by the URLs of
              "deploy" and "boot", and the files of --base-url
  ignition    other URLs in the config
  time        NTP servers
  registry    the image of the agent for the architecture of the host, with its
              pull secret; only the manifest is read
  ironic      the API, with the CA certificates of the host
  inspection  the inspection callback URL
  clock       clocks of Ironic and of NTP servers against that of this machine
Proxies and CA certificates are those of the config of each host. Nothing is
changed. The network of a host may be another one than that of this machine:
docs/preflight.md

Environment:
  IRONIC_COREOS_BMC_USERNAME, IRONIC_COREOS_BMC_PASSWORD
                              credentials of BMCs without a file
`,
  exitCodes: { 0: 'success: no check failed', 1: 'failure: a check failed, or a host is invalid' },
  examples: `
  ironic-coreos preflight --inventory ramdisk.yaml
  ironic-coreos preflight --inventory ramdisk.yaml --host worker-0 \\
    --base-url http://192.0.2.1/boot
  ironic-coreos preflight --inventory ramdisk.yaml --format json \\
    | jq -r '.checks[] | select(.status == "error").text'
`,
  load: async () => (await import('./preflight.ts')).preflight,
});
