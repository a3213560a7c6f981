/** The argument and the options of every command that changes a live ISO: which image, and where the result goes. */

import type { Command } from 'commander';
import { repeated } from '../io/commandLine.ts';

export const ISO =
  'live ISO of CoreOS: a file, a block device, a URL, or "-" for standard input, which is kept in TMPDIR meanwhile';

/** Describes `--mode`. */
export const NEW_FILE_MODE =
  'permissions of the new file (default: as the umask gives, and 0600 where it holds a secret)';

/** As commander gives them. */
export interface ResultOptions extends NewFileOptions {
  readonly output?: string;
}

/** About the new file of a command that writes one. */
export interface NewFileOptions {
  readonly overwrite?: boolean;
  readonly mode?: string;
}

/** Of commands that put something in. */
export interface EmbeddingOptions extends ResultOptions {
  readonly grow?: boolean;
}

/** Adds the options that say where the result goes. */
export function declareResult(command: Command): Command {
  return declareNewFile(
    command.option(
      '-o, --output <path>',
      'write the result to a new file; "-" is standard output (default: change the ISO itself, which has to be a file or a device)',
    ),
  );
}

/** Adds the options about the new file of commands that write one. */
export function declareNewFile(command: Command): Command {
  return command
    .option('--overwrite', 'replace a file of that name, once the new one is complete')
    .option('--mode <octal>', NEW_FILE_MODE);
}

/** Adds the options of a command that puts something into an image. */
export function declareEmbedding(command: Command): Command {
  return declareResult(command).option('--grow', 'make the image longer where its embed area is too small');
}

/** Adds the options for what goes in beside the Ignition config. */
export function declareAddedFiles(command: Command): Command {
  return command
    .addOption(
      repeated(
        '--initrd-file <path:name>',
        'file for the initramfs alone, gone once the root is mounted; repeatable',
      ),
    )
    .addOption(
      repeated('--initrd-archive <path>', 'the same, all files of a tar or cpio archive; repeatable'),
    )
    .addOption(
      repeated('--iso-file <path:name>', 'file for the medium, then /run/media/iso/coreos/NAME; repeatable'),
    );
}

/** As commander gives them. */
export interface AddedFileOptions {
  readonly initrdFile?: readonly string[];
  readonly initrdArchive?: readonly string[];
  readonly isoFile?: readonly string[];
}
