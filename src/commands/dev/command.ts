/** Declares `dev`, the hidden commands for developers of images. */

import { type Command, Option } from 'commander';
import { OVERWRITE_FILES } from '../customize/commandOptions.ts';
import { argumentRun, choice, type Context, EXIT_CODES, declareRun } from '../../io/commandLine.ts';

const INITRD = 'initramfs; "-" is standard input';
const GLOBS = 'pattern of file paths (default: all files)';

const SHOW_ISO_NOTES = `${EXIT_CODES}
Example:
  ironic-coreos dev show iso --kargs coreos.iso
`;

const SHOW_INITRD_NOTES = `
In a pattern, * and ? also match slashes, [a-z] and [!a-z] match one character,
and ** between slashes matches any number of folders.
${EXIT_CODES}
Example:
  ironic-coreos dev show initrd initramfs.img 'etc/coreos*'
`;

const EXTRACT_INITRD_NOTES = `
Only regular files are written, without their owners and permissions. Files that
contain secrets are created with mode 0600. In a pattern, * and ? also match
slashes.
${EXIT_CODES}
Example:
  ironic-coreos dev extract initrd -v -C tree initramfs.img '*.json'
`;

export function declareDev(dev: Command, context: Context): void {
  const show = dev.command('show').description('Print the contents of an image');
  declareShowIso(show.command('iso'), context);
  declareShowInitrd(show.command('initrd'), context);
  const extract = dev.command('extract').description('Extract files from an image');
  declareExtractInitrd(extract.command('initrd'), context);
}

function declareShowIso(command: Command, context: Context): void {
  command
    .summary('Print the structure of an ISO image')
    .description('Print the volume descriptors and the files of an ISO image, as JSON')
    .argument('<ISO>', 'ISO image: a file or a block device')
    .addOption(
      new Option('--ignition', 'print only offset and length of the reserved area').conflicts('kargs'),
    )
    .addOption(new Option('--kargs', 'print only the offsets of the kernel arguments'));
  const run = argumentRun(['iso'], context, async () => (await import('./dev.ts')).showIso);
  declareRun(command, SHOW_ISO_NOTES, run, context);
}

function declareShowInitrd(command: Command, context: Context): void {
  command
    .summary('List the files of an initramfs')
    .description('List the regular files of an initramfs')
    .argument('<INITRD>', INITRD)
    .argument('[glob...]', GLOBS)
    .addOption(choice('--format <form>', 'text or json (default: text)', ['text', 'json']));
  const run = argumentRun(['initrd', 'globs'], context, async () => (await import('./dev.ts')).showInitrd);
  declareRun(command, SHOW_INITRD_NOTES, run, context);
}

function declareExtractInitrd(command: Command, context: Context): void {
  command
    .summary('Extract the files of an initramfs')
    .description('Extract the regular files of an initramfs to a folder')
    .argument('<INITRD>', INITRD)
    .argument('[glob...]', GLOBS)
    .option('-C, --directory <path>', 'folder to write to (default: the current folder)')
    .option('--overwrite', OVERWRITE_FILES)
    .option('-v, --verbose', 'print the path of each file');
  const run = argumentRun(['initrd', 'globs'], context, async () => (await import('./dev.ts')).extractInitrd);
  declareRun(command, EXTRACT_INITRD_NOTES, run, context);
}
