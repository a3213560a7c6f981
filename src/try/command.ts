/** Declares `try`. */

import type { Command } from 'commander';
import type { TryOptions } from './setup.ts';
import { choice, type Context, refuseRepeatedOptions, repeated } from '../io/commandLine.ts';
import { declareImageOptions } from '../serve/serviceOptions.ts';

const notes = `
Stands in for Ironic until machines have shown how far they come: answers the
first requests of ironic-python-agent as a current Ironic does (versions,
inspection, lookup, heartbeat), and asks the agent back at its callback URL. It
never deploys, cleans or writes to a disk, and gives no machine a command.

What happens is told on standard error, a line each, with times in UTC. At the
end there is a report on standard output: how far each machine came, and where
it stopped the likely causes, each with a check that confirms it.

Who is awaited: all hosts of the inventory, or the emulated machine, or one
machine, whichever it is; or as --expect says. It ends when they have come, at
--timeout, with the emulated machine, and by a signal.

With --inventory, images are served as by serve, and the trial begins with the
first fetch. Configs name the Ironic of the inventory; --ironic-url puts another
address there, and the authority of --tls beside it. The URLs of images are
printed where real machines are awaited.

With --qemu, a machine is emulated:
  IMAGE.iso  a file or a URL: boots from CD
  FOLDER     made by prepare: boots over the network, from the URLs in it
  HOST       of the inventory: over the network, or with --boot cd as a BMC does
An image without a config, or with one that names an Ironic which is not here,
is not booted: the trial ends at once, and says what to change.

The machine has no disk. It reaches this one at the address which its config
names for Ironic if that is IPv4 and has the port of --listen, otherwise at
10.0.2.2; --guest-host gives another. The configs of a HOST are given this
address, if they lead elsewhere. Its console is shown, as far as it is the
serial one: kernel argument console=ttyS0 (ttyAMA0 on aarch64).

Exit codes:
  0  all that were awaited have called home
  1  somebody is missing when it ends, or something cannot be started
  2  the command line is wrong

Examples:
  ironic-coreos try --listen :6385 --expect 3 --save inventories
  ironic-coreos try --inventory ramdisk.yaml --iso fedora-coreos.iso \\
    --listen :6385 --serve-listen :8084 --public-url http://192.0.2.1:8084 \\
    --ironic-url http://192.0.2.1:6385
  ironic-coreos try --qemu worker-0.iso --console console.log --timeout 15m
  ironic-coreos try --inventory ramdisk.yaml --iso live.iso --qemu worker-0
`;

export function declareTry(command: Command, context: Context): void {
  command
    .description('Plays the Ironic that a ramdisk calls, and tells how far each machine comes.')
    .option('--expect <hosts>', 'who has to call home: a number, names or MAC addresses')
    .addOption(
      choice(
        '--until <stage>',
        'what counts as home: heartbeat (default), or callback: the agent answers too',
        ['heartbeat', 'callback'],
      ),
    )
    .option('--timeout <time>', 'until all have to be home (default: 30m)')
    .option('--save <folder>', 'keep the inventories that agents collect, a file each')
    .addOption(
      choice('--format <form>', 'the report: text (default) or json; ndjson: events, then the report', [
        'text',
        'json',
        'ndjson',
      ]),
    );
  command
    .optionsGroup('Ironic:')
    .option('--listen <address>', 'ADDRESS:PORT, :PORT for all (default: 127.0.0.1:6385)')
    .option('--tls', 'https, with a certificate that is made now')
    .addOption(repeated('--tls-name <name>', 'a further name or address for the certificate'))
    .option('--ca-out <file>', 'write its authority there, for --ca-file; else it is printed')
    .addOption(
      choice(
        '--ask-back <whom>',
        'agents that are asked back: own, at the address they call from (default); anywhere; never',
        ['own', 'anywhere', 'never'],
      ),
    );
  declareServing(command);
  declareMachine(command);
  command.addHelpText('after', notes).action(async (options: TryOptions) => {
    const { tryRamdisk } = await import('./try.ts');
    context.finish(await tryRamdisk(options, context.io));
  });
  refuseRepeatedOptions(command);
}

function declareServing(command: Command): void {
  command
    .optionsGroup('Serving images:')
    .option('--inventory <file>', 'settings and hosts, as YAML or JSON')
    .option('--ironic-url <url>', 'what configs name as Ironic in place of what the inventory does')
    .option('--serve-listen <address>', 'ADDRESS:PORT for images (default: 127.0.0.1:8084)')
    .option('--public-url <url>', 'where machines reach the images')
    .option('--profile <name>', 'whose configs, as for render')
    .option('--artifacts <names>', 'what to serve, as for prepare (default: all that can be made)')
    .option('--discovery', 'also serve the inspection of machines that are not listed')
    .option('--grow', 'make ISOs longer where a config does not fit')
    .option('--key-file <file>', 'key that signs URLs; made where it is missing')
    .option('--open', 'let everybody fetch everything');
  declareImageOptions(command);
}

function declareMachine(command: Command): void {
  command
    .optionsGroup('Emulated machine:')
    .option('--qemu <image>', 'boot this in QEMU: an ISO, a prepared folder, or a host')
    .addOption(
      choice('--boot <way>', 'a host boots over the network (default) or from cd', ['network', 'cd']),
    )
    .addOption(choice('--firmware <kind>', 'bios (default for x86_64) or uefi', ['bios', 'uefi']))
    .option('--memory <mebibytes>', 'its memory (default: 4096)')
    .option('--mac <address>', 'of its network card (default: that of the host)')
    .option('--guest-host <address>', 'IPv4 address by which it reaches this machine')
    .addOption(choice('--accel <kind>', 'kvm, or tcg: in software (default: what works)', ['kvm', 'tcg']))
    .option('--console <file>', 'keep what is on its console, as it comes');
}
