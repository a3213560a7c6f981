/** Declares `serve`. */

import type { Command } from 'commander';
import type { ServeOptions } from './options.ts';
import { choice, type Context, refuseRepeatedOptions } from '../io/commandLine.ts';
import {
  declareAccessOptions,
  declareIccFlags,
  declareImageOptions,
  declareListenOptions,
} from './serviceOptions.ts';

const notes = `
Nothing is written: each image is the shared one with the few bytes that are the
host's own, put together while it is sent. All hosts are rendered and checked
before the first is served; those that are wrong are told, and stay out.

Served of each host, as far as the images that are given allow:
  NAME.iso, NAME-minimal.iso   virtual media; larger configs need --grow
  NAME.initramfs               initramfs and config, as deploy_ramdisk of Ironic
  NAME.ign, NAME.img           the config, and the config as an archive
  images/ID/ironic-python-agent.{kernel,initramfs,rootfs}
  boot.ipxe, ipxe/…, dnsmasq.conf; grub/… and pxelinux.cfg/… with --artifacts
and with --discovery, or without a list of hosts, discovery.* for machines that
are not listed. For operators: / (status page), /metrics; for all: /healthz,
/readyz.

Who may fetch what:
  The URL of a host carries a token that is good for this host alone. It is made
  from the key in --key-file: the same on every server with this key, and after
  a restart. Boot scripts have a URL of their own, for the provisioning network.
  A token from --token-file (Authorization: Bearer, or as password in a browser)
  and a client certificate of --client-ca open everything. With --open nothing
  is asked for, and /NAME.iso is enough.
  What scripts and images refer to is good as long as the key; --expires is for
  the URLs that are printed and on the status page.

SIGHUP, or a change of the inventory or an image, reads everything anew; running
downloads go on with the bytes that they began with. Replace images by renaming
a new file over the old one, never in place. SIGTERM ends the service when
running downloads are through, at the latest after --grace.

The URLs are printed on standard output if that is a terminal, or with --format.
Events go to standard error: as text to a terminal, else as JSON, a line each.

Instead of an inventory, --nmstate-dir takes a folder of nmstate files, one a
host, and the environment of the image-customization-controller (DEPLOY_ISO,
DEPLOY_INITRD, IMAGE_SHARED_DIR, IRONIC_BASE_URL, IRONIC_AGENT_IMAGE, …), as its
static server does; -images-bind-addr and -images-publish-addr are understood.
Its URLs without a token need --open.

Exit codes:
  0  ended by a signal, or with --once after the image was fetched
  1  nothing can be served
  2  the command line or a variable is wrong

Examples:
  ironic-coreos serve --inventory ramdisk.yaml --iso fedora-coreos.iso \\
    --listen :8084 --public-url http://192.0.2.1:8084 --key-file serve.key
  ironic-coreos serve --inventory ramdisk.yaml --iso live.iso --once worker-0
  ironic-coreos serve --nmstate-dir network-data --open --listen :8084
`;

export function declareServe(command: Command, context: Context): void {
  command
    .description(
      'Serves the images of all hosts of an inventory over HTTP, from one copy of what they share.',
    )
    .option('--inventory <file>', 'settings and hosts, as YAML or JSON')
    .option('--nmstate-dir <folder>', 'hosts as nmstate files: see below')
    .option('--profile <name>', 'whose configs, as for render')
    .option('--artifacts <names>', 'what to serve, as for prepare (default: all that can be made)')
    .option('--discovery', 'also serve the inspection of machines that are not listed')
    .option('--grow', 'make ISOs longer where a config does not fit')
    .option('--fail-fast', 'serve nothing where a host is wrong')
    .option('--once <host>', 'serve this host alone, until its image has been fetched');
  declareImageOptions(command);
  declareService(command);
  declareIccFlags(command, '--kubeconfig <file>'); // the peer has no use for it either
  command.addHelpText('after', notes).action(async (options: ServeOptions) => {
    const { serve } = await import('./serve.ts');
    context.finish(await serve(options, context.io));
  });
  refuseRepeatedOptions(command);
}

function declareService(command: Command): void {
  declareListenOptions(command);
  declareAccessOptions(command)
    .option('--expires <time>', 'how long URLs are good for, e.g. 12h (default: as long as the key)')
    .option('--open', 'let everybody fetch everything')
    .addOption(choice('--format <form>', 'print the URLs as text or json', ['text', 'json']));
}
