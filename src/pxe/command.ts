/** Declares `pxe kargs`. Its flags for settings are those of the table of settings. */

import { type Command, Option } from 'commander';
import type { KargsOptions } from './kargs.ts';
import { settingFlags } from '../hosts/settings/options.ts';
import { choice, type Context, EXIT_CODES, refuseRepeatedOptions, repeated } from '../io/commandLine.ts';
import { declarePxeCustomize } from './customizeCommand.ts';
import { declarePxeIgnition } from './ignition/command.ts';
import { declarePxeNetwork } from './network/command.ts';

const notes = `
Where settings come from:
  A flag beats the environment, the environment beats the inventory, and there
  the overrides of --host beat what is for all hosts. The settings are boot.*,
  host.consoles and proxy.*. IRONIC_ROOTFS_URL counts, and so do IRONIC_BASE_URL
  and, beside it, HTTP_PROXY, HTTPS_PROXY and NO_PROXY.

Proxies:
  A proxy is written as systemd.setenv=, for the initramfs that fetches the root
  filesystem; the services of the ramdisk get it, too, so the hosts of Ironic
  (--api-url) are added to --no-proxy. Ignition takes no proxy from here. The
  kernel arguments can be read by every program of the machine, passwords
  included.
${EXIT_CODES}
Examples:
  ironic-coreos pxe kargs --base-url http://192.0.2.1/images --embedded \\
    --ip dhcp --console ttyS0,115200n8 --format ironic
  ironic-coreos pxe kargs --base-url http://192.0.2.1/images \\
    --ignition-url https://192.0.2.1/agent.ign --format ipxe -o boot.ipxe
  ironic-coreos pxe kargs --inventory ramdisk.yaml --host worker-0
`;

export function declarePxe(pxe: Command, context: Context): void {
  declareKargs(pxe, context);
  declarePxeCustomize(pxe, context);
  declarePxeIgnition(pxe, context);
  declarePxeNetwork(pxe, context);
}

function declareKargs(pxe: Command, context: Context): void {
  const command = pxe
    .command('kargs')
    .summary('write kernel arguments or a boot script')
    .description(
      'Writes the kernel arguments that boot CoreOS with ironic-python-agent from the network: as one line, for ' +
        'ironic.conf, or inside a boot script. The Ignition config comes from --ignition-url, or is embedded in the ' +
        'initramfs (--embedded).',
    );
  command.optionsGroup('Boot:');
  declareSettings(command, 'boot');
  command.addOption(
    repeated('--console <spec>', 'console, e.g. ttyS0,115200n8; repeatable, the last is /dev/console'),
  );
  command.optionsGroup('Proxies:');
  declareSettings(command, 'proxy', 'ironic.apiUrls');
  command
    .optionsGroup('Input and output:')
    .option('--inventory <file>', 'settings and hosts, as for render')
    .option('--host <name>', 'a host of the inventory')
    .addOption(
      choice('--format <form>', 'plain (default), ironic, ipxe, grub, pxelinux or json', [
        'plain',
        'ironic',
        'ipxe',
        'grub',
        'pxelinux',
        'json',
      ]),
    )
    .option('-o, --output <file>', 'write to a file instead of standard output')
    .addHelpText('after', notes)
    .action(async (options: KargsOptions) => {
      const { kargs } = await import('./kargs.ts');
      context.finish(await kargs(options, context.io));
    });
  refuseRepeatedOptions(command);
}

function declareSettings(command: Command, ...names: readonly string[]): void {
  for (const { flag, help, kind } of settingFlags(...names)) {
    const isList = kind === 'texts' || kind === 'files';
    const option = isList ? repeated(flag, help) : new Option(flag, help);
    option.negate = false; // --no-proxy is no negation
    command.addOption(option);
  }
}
