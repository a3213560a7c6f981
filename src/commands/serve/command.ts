/** Declares `serve`. */

import { command } from '../../io/commandLine.ts';
import { serveOptions } from './options.ts';

export const serveCommand = command({
  description: 'Serve an image for each host of an inventory over HTTP',
  options: serveOptions,
  reference: `
Files served for each host, if the given images contain the required parts:
  NAME.iso, NAME-minimal.iso   virtual media; larger configs require --grow
  NAME.initramfs               initramfs with the config, for Ironic's
                               deploy_ramdisk
  NAME.ign, NAME.img           the config, and the config as an archive
  images/ID/ironic-python-agent.{kernel,initramfs,rootfs}
  boot.ipxe, ipxe/…, dnsmasq.conf; grub/… and pxelinux.cfg/… with --artifacts
  discovery.*                  for machines that are not listed: with
                               --discovery, or without a list of hosts

Other paths:
  /, /metrics                  status page and metrics, for operators
  /healthz, /readyz            probes, for all clients

Access:
  The URL of a host contains a token that is valid for this host only. The token
  is derived from the key in --key-file, so it is the same after a restart and
  on every server with this key. Boot scripts have a separate URL for the
  provisioning network. A token from --token-file (Authorization: Bearer, or as
  the password in a browser) and a client certificate of --client-ca give access
  to everything. With --open the server requires no credential, and /NAME.iso
  works. URLs in boot scripts and images are valid as long as the key; --expires
  applies to printed URLs and to the status page.

Reload and shutdown:
  On SIGHUP, or when the inventory or an image changes, serve reloads all files;
  running downloads continue with the old bytes. To replace an image, rename the
  new file over the old one; never overwrite it in place. On SIGTERM the service
  stops when all running downloads are complete, at the latest after --grace.

Output:
  serve prints the URLs on standard output if that is a terminal, or with
  --format. It logs events to standard error: text on a terminal, otherwise one
  JSON object per line. The status page shows the hosts and the transfers. It
  never writes image files: it adds the bytes of the host to the base image
  while it sends the file.

Replacing the static server of image-customization-controller:
  --nmstate-dir reads a folder with one nmstate file per host, and the
  environment of image-customization-controller (DEPLOY_ISO, DEPLOY_INITRD,
  IMAGE_SHARED_DIR, IRONIC_BASE_URL, IRONIC_AGENT_IMAGE, …). The flags
  -images-bind-addr and -images-publish-addr are supported. URLs without a token
  require --open.
`,
  details: `
serve renders and validates the config of every host before it serves the first
one. It reports invalid hosts and skips them. It keeps running even if all hosts
are invalid: after the inventory is corrected, the next reload serves them.
`,
  exitCodes: {
    0: 'success: stopped by a signal, or with --once after the image was fetched',
    1: 'failure at the start, other than invalid hosts without --fail-fast',
  },
  examples: `
  ironic-coreos serve --inventory ramdisk.yaml --iso fedora-coreos.iso \\
    --listen :8084 --public-url http://192.0.2.1:8084 --key-file serve.key
  ironic-coreos serve --inventory ramdisk.yaml --iso live.iso --once worker-0
  ironic-coreos serve --nmstate-dir network-data --open --listen :8084
`,
  load: async () => (await import('./serve.ts')).serve,
});
