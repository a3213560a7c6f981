/** The commands for network boot. */

import type { Command } from 'commander';
import type { KargsOptions } from '../commands/pxe/kargs.ts';
import { UsageError } from '../errors.ts';
import type { Context } from './context.ts';

const examples = `
Examples:
  ironic-coreos pxe kargs --base-url http://192.0.2.1/images --embedded \\
    --ip dhcp --console ttyS0,115200n8 --format ironic
  ironic-coreos pxe kargs --base-url http://192.0.2.1/images \\
    --ignition-url https://192.0.2.1/agent.ign --format ipxe -o boot.ipxe
`;

export function declarePxe(program: Command, context: Context): void {
  const pxe =
    program.commands.find((command) => command.name() === 'pxe') ??
    program.command('pxe').description('Prepare network boot of the ramdisk.');
  declareKargs(pxe, context);
}

function declareKargs(pxe: Command, context: Context): void {
  pxe
    .command('kargs')
    .summary('write kernel arguments or a boot script')
    .description(
      'Writes the kernel arguments that boot CoreOS with ironic-python-agent from the network: as one line, for ' +
        'ironic.conf, or inside a boot script. The Ignition config comes from --ignition-url, or is embedded in the ' +
        'initramfs (--embedded).',
    )
    .option('--rootfs-url <URL>', 'root filesystem, fetched by the initramfs', once('--rootfs-url'))
    .option('--ignition-url <URL>', 'Ignition config, fetched by the initramfs', once('--ignition-url'))
    .option('--embedded', 'the initramfs carries the Ignition config')
    .option(
      '--base-url <URL>',
      'folder that serves ironic-python-agent.kernel, .initramfs and .rootfs; the other options replace single URLs',
      once('--base-url'),
    )
    .option('--kernel-url <URL>', 'kernel, for boot scripts', once('--kernel-url'))
    .option('--initramfs-url <URL>', 'initramfs, for boot scripts', once('--initramfs-url'))
    .option('--console <SPEC>', 'console, e.g. ttyS0,115200n8; repeatable, the last is /dev/console', collect)
    .option('--ipa <NAME=VALUE>', 'parameter of the agent, e.g. insecure=1; repeatable', collect)
    .option('--ip <SPEC>', 'network of the initramfs, e.g. dhcp; repeatable', collect)
    .option('--append <ARG>', 'any other kernel argument; repeatable', collect)
    .option('--format <FORM>', 'plain (default), ironic, ipxe, grub, pxelinux or json', once('--format'))
    .option('-o, --output <FILE>', 'write to a file instead of standard output', once('--output'))
    .addHelpText('after', examples)
    .action(async (options: KargsOptions) => {
      const { kargs } = await import('../commands/pxe/kargs.ts');
      context.finish(await kargs(options, context.io));
    });
}

/** For options that take one value: the last one would silently win. The value may hold a password, so it is not shown. */
function once(flag: string): (value: string, previous: string | undefined) => string {
  return (value, previous) => {
    if (previous === undefined) return value;
    throw new UsageError(`${flag} is given more than once`, { hint: 'give it once' });
  };
}

function collect(value: string, previous: readonly string[] = []): readonly string[] {
  return [...previous, value];
}
