/** Declares `dev`, for those who work on images; not shown to others. */

import { type Command, Option } from 'commander';
import type { ExtractInitrdOptions, ShowInitrdOptions, ShowIsoOptions } from './dev.ts';
import { choice, type Context, EXIT_CODES, declareRun } from '../io/commandLine.ts';

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
    .addOption(new Option('--kargs', 'show where the kernel arguments are instead'));
  const run = async (iso: string, options: Omit<ShowIsoOptions, 'iso'>) =>
    (await import('./dev.ts')).showIso({ ...options, iso }, context.io);
  declareRun(command, SHOW_ISO_NOTES, run, context);
}

function declareShowInitrd(command: Command, context: Context): void {
  command
    .summary('list the files of an initramfs')
    .description('Lists the regular files of an initramfs.')
    .argument('<initrd>', INITRD)
    .argument('[glob...]', GLOBS)
    .addOption(choice('--format <form>', 'text (default) or json', ['text', 'json']));
  const run = async (initrd: string, globs: string[], options: Pick<ShowInitrdOptions, 'format'>) =>
    (await import('./dev.ts')).showInitrd({ ...options, initrd, globs }, context.io);
  declareRun(command, SHOW_INITRD_NOTES, run, context);
}

function declareExtractInitrd(command: Command, context: Context): void {
  command
    .summary('extract the files of an initramfs')
    .description('Writes the regular files of an initramfs to a folder.')
    .argument('<initrd>', INITRD)
    .argument('[glob...]', GLOBS)
    .option('-C, --directory <path>', 'folder to write to (default: the current one)')
    .option('-v, --verbose', 'print the path of each file');
  const run = async (
    initrd: string,
    globs: string[],
    options: Omit<ExtractInitrdOptions, 'initrd' | 'globs'>,
  ) => (await import('./dev.ts')).extractInitrd({ ...options, initrd, globs }, context.io);
  declareRun(command, EXTRACT_INITRD_NOTES, run, context);
}
