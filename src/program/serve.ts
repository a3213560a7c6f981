/** Declares `serve`. */

import { type Command, Option } from 'commander';
import type { ServeOptions } from '../commands/serve/options.ts';
import { choice } from './choice.ts';
import type { Context } from './context.ts';
import { refuseRepeatedOptions, repeated } from './repeatedOptions.ts';

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
  command
    .optionsGroup('Images (FILE, or ARCHITECTURE=FILE):')
    .addOption(repeated('--iso <file>', 'live ISO; kernel, initramfs and root filesystem are taken from it'))
    .addOption(repeated('--kernel <file>', 'kernel; those of aarch64 are unpacked'))
    .addOption(repeated('--initramfs <file>', 'initramfs'))
    .addOption(repeated('--rootfs <file>', 'root filesystem'))
    .addOption(
      repeated('--agent-archive <file>', "the agent's container image, for hosts without a registry"),
    )
    .option('--images <folder>', 'a folder of downloads, by the names of their releases');
  declareService(command);
  declareIccFlags(command);
  command.addHelpText('after', notes).action(async (options: ServeOptions) => {
    const { serve } = await import('../commands/serve/serve.ts');
    context.finish(await serve(options, context.io));
  });
  refuseRepeatedOptions(command);
}

function declareService(command: Command): void {
  command
    .optionsGroup('Service:')
    .option('--listen <address>', 'ADDRESS:PORT, :PORT for all (default: 127.0.0.1:8084)')
    .option('--public-url <url>', 'where others reach this server')
    .option('--tls-cert <file>', 'certificate, in PEM; read anew when it changes')
    .option('--tls-key <file>', 'its key')
    .option('--max-connections <number>', 'connections at a time (default: 4096)')
    .option('--idle-timeout <time>', 'cut off who takes nothing for so long (default: 120s)')
    .option('--grace <time>', 'for running downloads at the end (default: 30s)')
    .option('--cache <mebibytes>', 'memory for images (default: 32)')
    .addOption(choice('--log <form>', 'text or json', ['text', 'json']));
  command
    .optionsGroup('Access:')
    .option('--key-file <file>', 'key that signs URLs; made where it is missing')
    .option('--token-file <file>', "operators' tokens, one a line")
    .option('--client-ca <file>', 'authorities whose client certificates open everything')
    .option('--expires <time>', 'how long URLs are good for, e.g. 12h (default: as long as the key)')
    .option('--open', 'let everybody fetch everything')
    .addOption(choice('--format <form>', 'print the URLs as text or json', ['text', 'json']));
}

/** Those of the image-customization-controller's static server; it has no use for the last one either. */
function declareIccFlags(command: Command): void {
  const aliases = { '--images-bind-addr': '--listen', '--images-publish-addr': '--public-url' };
  for (const [flag, option] of Object.entries(aliases)) {
    command.addOption(new Option(`${flag} <value>`).hideHelp());
    command.on(
      `option:${flag.slice(2)}`,
      (value: string) => void command.parseOptions([`${option}=${value}`]),
    );
  }
  command.addOption(new Option('--kubeconfig <file>').hideHelp());
}
