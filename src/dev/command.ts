/** Declares `dev`, for those who work on images; not shown to others. */

import { type Command, Option } from 'commander';
import { choice, type Context, EXIT_CODES, refuseRepeatedOptions } from '../io/commandLine.ts';

const INITRD = 'initramfs ("-" is standard input)';
const GLOBS = 'only files whose paths match';

const SHOW_ISO_NOTES = `${EXIT_CODES}
Example:
  ironic-coreos dev show iso --kargs coreos.iso
`;

const SHOW_INITRD_NOTES = `
In a pattern, * and ? take slashes too, [a-z] and [!a-z] one character, and **
between slashes any number of folders.
${EXIT_CODES}
Example:
  ironic-coreos dev show initrd initramfs.img 'etc/coreos*'
`;

const EXTRACT_INITRD_NOTES = `
Only regular files are written, without owners and permissions, and none is
replaced. Files that contain secrets get mode 0600.
In a pattern, * and ? take slashes too.
${EXIT_CODES}
Example:
  ironic-coreos dev extract initrd -v -C tree initramfs.img '*.json'
`;

export function declareDev(dev: Command, context: Context): void {
  const show = dev.command('show').description('Show what is in an image.');
  declareShowIso(show.command('iso'), context);
  declareShowInitrd(show.command('initrd'), context);
  const extract = dev.command('extract').description('Take files out of an image.');
  declareExtractInitrd(extract.command('initrd'), context);
}

function declareShowIso(command: Command, context: Context): void {
  command
    .summary('show what an ISO image consists of')
    .description('Prints the volume descriptors and the files of an ISO image, as JSON.')
    .argument('<ISO>', 'ISO image: a file or a block device')
    .addOption(new Option('--ignition', 'show where the embed area is instead').conflicts('kargs'))
    .addOption(new Option('--kargs', 'show where the kernel arguments are instead'))
    .addHelpText('after', SHOW_ISO_NOTES)
    .action(async (iso: string, options: { readonly ignition?: boolean; readonly kargs?: boolean }) => {
      const { showIso } = await import('./show/iso.ts');
      context.finish(await showIso({ ...options, iso }, context.io));
    });
  refuseRepeatedOptions(command);
}

function declareShowInitrd(command: Command, context: Context): void {
  command
    .summary('list the files of an initramfs')
    .description('Lists the regular files of an initramfs.')
    .argument('<initrd>', INITRD)
    .argument('[glob...]', GLOBS)
    .addOption(choice('--format <form>', 'text (default) or json', ['text', 'json']))
    .addHelpText('after', SHOW_INITRD_NOTES)
    .action(async (initrd: string, globs: string[], options: { readonly format?: string }) => {
      const { showInitrd } = await import('./show/initrd.ts');
      context.finish(await showInitrd({ ...options, initrd, globs }, context.io));
    });
  refuseRepeatedOptions(command);
}

interface ParsedExtract {
  readonly directory?: string;
  readonly verbose?: boolean;
}

function declareExtractInitrd(command: Command, context: Context): void {
  command
    .summary('extract the files of an initramfs')
    .description('Writes the regular files of an initramfs to a folder.')
    .argument('<initrd>', INITRD)
    .argument('[glob...]', GLOBS)
    .option('-C, --directory <path>', 'folder to write to (default: the current one)')
    .option('-v, --verbose', 'print the path of each file')
    .addHelpText('after', EXTRACT_INITRD_NOTES)
    .action(async (initrd: string, globs: string[], options: ParsedExtract) => {
      const { extractInitrd } = await import('./extract/initrd.ts');
      context.finish(await extractInitrd({ ...options, initrd, globs }, context.io));
    });
  refuseRepeatedOptions(command);
}
