/** Declares `pxe ignition`. */

import type { Command } from 'commander';
import type { WrapIgnitionOptions } from './wrap.ts';
import { type Context, EXIT_CODES, refuseRepeatedOptions } from '../../io/commandLine.ts';
import { NEW_FILE_MODE } from '../../customize/outputOptions.ts';

const WRAP_NOTES = `
Boot with the archive as a further initrd, or appended to the initramfs, and
with the kernel arguments ignition.firstboot ignition.platform.id=metal. The
config is checked first, as for "iso ignition embed".
${EXIT_CODES}
Examples:
  ironic-coreos pxe ignition wrap -i ironic-agent.ign -o config.img
  ironic-coreos pxe ignition wrap < ironic-agent.ign |
    cat initramfs.img - > ipa-initramfs.img
`;

const UNWRAP_NOTES = `${EXIT_CODES}
Examples:
  ironic-coreos pxe ignition unwrap config.img
  ironic-coreos pxe ignition unwrap ipa-initramfs.img
`;

export function declarePxeIgnition(pxe: Command, context: Context): void {
  const ignition = pxe
    .command('ignition')
    .description('Wrap an Ignition config for network boot, or print a wrapped one.');
  declareWrap(ignition.command('wrap'), context);
  declareUnwrap(ignition.command('unwrap'), context);
}

function declareWrap(command: Command, context: Context): void {
  command
    .summary('wrap an Ignition config')
    .description('Makes an archive with an Ignition config, for booting from the network.')
    .option('-i, --ignition-file <path>', 'Ignition config to wrap (default: standard input)')
    .option('-o, --output <path>', 'write to a file, which is replaced (default: standard output)')
    .option('--mode <octal>', NEW_FILE_MODE)
    .option('--no-validate', 'wrap the config without checking it')
    .addHelpText('after', WRAP_NOTES)
    .action(async (options: WrapIgnitionOptions) => {
      const { wrapIgnition } = await import('./wrap.ts');
      context.finish(await wrapIgnition(options, context.io));
    });
  refuseRepeatedOptions(command);
}

function declareUnwrap(command: Command, context: Context): void {
  command
    .summary('print a wrapped Ignition config')
    .description('Prints the Ignition config in an archive or an initramfs, byte for byte.')
    .argument('[initrd]', 'archive or initramfs (default: standard input)')
    .addHelpText('after', UNWRAP_NOTES)
    .action(async (initrd: string | undefined) => {
      const { unwrapIgnition } = await import('./unwrap.ts');
      context.finish(await unwrapIgnition({ initrd }, context.io));
    });
}
