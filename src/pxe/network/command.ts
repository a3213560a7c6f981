/** Declares `pxe network`. */

import type { Command } from 'commander';
import { type Context, EXIT_CODES, refuseRepeatedOptions } from '../../io/commandLine.ts';
import {
  declareNetworkFiles,
  declareNetworkOutput,
  type NetworkFileOptions,
  type NetworkOutputOptions,
} from '../../customize/networkOptions.ts';
import { NEW_FILE_MODE } from '../../customize/outputOptions.ts';

const WRAP_NOTES = `
Boot with the archive as a further initrd, or appended to the initramfs. The
files keep their names without folders; an nmstate description becomes a file
for each connection, such as eth0.nmconnection.
${EXIT_CODES}
Examples:
  ironic-coreos pxe network wrap -k eth0.nmconnection -o network.img
  ironic-coreos pxe network wrap --nmstate worker-0.yaml |
    cat initramfs.img - > worker-0-initramfs.img
`;

const UNWRAP_NOTES = `${EXIT_CODES}
Examples:
  ironic-coreos pxe network unwrap network.img
  ironic-coreos pxe network unwrap -C connections worker-0-initramfs.img
`;

export function declarePxeNetwork(pxe: Command, context: Context): void {
  const network = pxe
    .command('network')
    .description('Wrap network settings for network boot, or extract wrapped ones.');
  declareWrap(network.command('wrap'), context);
  declareUnwrap(network.command('unwrap'), context);
}

interface ParsedWrap extends NetworkFileOptions {
  readonly output?: string;
  readonly mode?: string;
}

function declareWrap(command: Command, context: Context): void {
  command
    .summary('wrap network settings')
    .description('Makes an archive with network settings, for booting from the network.');
  declareNetworkFiles(command)
    .option('-o, --output <path>', 'write to a file, which is replaced (default: standard output)')
    .option('--mode <octal>', NEW_FILE_MODE)
    .addHelpText('after', WRAP_NOTES)
    .action(async (options: ParsedWrap) => {
      const { wrapNetwork } = await import('./wrap.ts');
      context.finish(await wrapNetwork(options, context.io));
    });
  refuseRepeatedOptions(command);
}

function declareUnwrap(command: Command, context: Context): void {
  command
    .summary('extract wrapped network settings')
    .description('Prints the network settings in an archive or an initramfs, or writes them to files.')
    .argument('[initrd]', 'archive or initramfs (default: standard input)');
  declareNetworkOutput(command)
    .addHelpText('after', UNWRAP_NOTES)
    .action(async (initrd: string | undefined, options: NetworkOutputOptions) => {
      const { unwrapNetwork } = await import('./unwrap.ts');
      context.finish(await unwrapNetwork({ ...options, initrd }, context.io));
    });
  refuseRepeatedOptions(command);
}
