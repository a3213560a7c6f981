/** Declares `try`. */

import { command } from '../../io/commandLine.ts';
import { tryOptions } from './options.ts';

export const tryCommand = command({
  description: 'Impersonate Ironic and report how far each ramdisk gets',
  options: tryOptions,
  reference: `
The mock Ironic:
  The mock Ironic answers the first requests of ironic-python-agent like a
  current Ironic: API versions, inspection, lookup and heartbeat. It then
  contacts the agent at its callback URL, and asks it for its hardware managers
  and their steps (clean.get_clean_steps and deploy.get_deploy_steps). It never
  deploys, never cleans, never writes to a disk, and never starts a step.

Output:
  Standard error shows the URL of the status page, and one line per event, with
  times in UTC. On a terminal, live rows below them show the machines, problems
  first. At the end, standard output gets a report: the last step of each
  machine, and for machines that did not call home the likely causes, each with
  a check and a fix. With more than 20 hosts, it only counts those at home.

Expected hosts:
  Without --expect, try waits for all hosts of the inventory, or for the
  emulated machine, or for one machine. It ends when all expected hosts have
  called home, at --timeout, when the emulated machine ends, or on a signal.

Console:
  Lines on the console of a machine show how far it gets, and why it stopped.
  try reads the console of the emulated machine, and with --console-log the file
  to which another program appends the serial console of an expected host: FILE
  if one host is expected, otherwise HOST=FILE. It reads the lines that are
  added after the start.

Required steps:
  With --require-step, a host has called home if its agent also has the step as
  a clean or deploy step. A missing step is a failure: try does not wait for the
  host any longer. Without --require-step, the report lists the steps, or why
  the agent could not be asked.

Images:
  With --inventory, try serves images like serve, and the report starts with the
  first file that a machine fetches. The configs contain the Ironic URL of the
  inventory. --ironic-url replaces it, and with --tls also adds the certificate
  authority. Without --qemu, try prints the URLs of the images.

Emulated machine:
  --qemu boots one of these in QEMU:
    IMAGE.iso  a file or a URL: boots from CD
    FOLDER     created by prepare: boots from the network, with the URLs in it
    HOST       of the inventory: boots from the network, or with --boot cd from
               its ISO, like virtual media
  An image without a config, or with a config for another Ironic, is not booted:
  try exits immediately and reports the fix.

  The machine has no disk. If its config contains an IPv4 address for Ironic
  with the port of --listen, the machine reaches the mock Ironic at that
  address, otherwise at 10.0.2.2; --guest-host sets another address. Configs of
  a HOST with another Ironic URL get this address. try prints the output of the
  serial console. This requires the kernel argument console=ttyS0 (ttyAMA0 on
  aarch64).
  Agents in the emulated machine are not contacted (--ask-back never).
`,
  exitCodes: {
    0: 'success: all expected hosts called home',
    1: 'failure: a host did not call home, or try could not start',
  },
  examples: `
  ironic-coreos try --listen :6385 --expect 3 --save inventories
  ironic-coreos try --listen :6385 --require-step install_coreos
  ironic-coreos try --inventory ramdisk.yaml --iso fedora-coreos.iso \\
    --listen :6385 --serve-listen :8084 --public-url http://192.0.2.1:8084 \\
    --ironic-url http://192.0.2.1:6385
  ironic-coreos try --listen :6385 --expect 52:54:00:12:34:56 \\
    --console-log sol.log
  ironic-coreos try --qemu worker-0.iso --console console.log --timeout 15m
  ironic-coreos try --inventory ramdisk.yaml --iso live.iso --qemu worker-0
`,
  load: async () => (await import('./try.ts')).tryRamdisk,
});
