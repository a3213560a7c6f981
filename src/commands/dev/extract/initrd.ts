/** `dev extract initrd`: writes the regular files of an initramfs to a folder. */

import { sortedByPath } from '../../../image/initrd.ts';
import { parseInitrdGlobs } from '../../../image/initrdGlob.ts';
import { writeNewFiles } from '../../../io/extractFiles.ts';
import type { ExitCode, Io } from '../../../io/io.ts';
import { writeStdout } from '../../../io/stdout.ts';
import { readInitrdInput } from '../../input/initrdInput.ts';
import { lineForOutput } from '../../output/outputLine.ts';

export interface ExtractInitrdOptions {
  /** Path of the initramfs; `-` is standard input. */
  readonly initrd: string;
  /** Patterns for paths; without, all files are written. */
  readonly globs?: readonly string[];
  /** Folder to write to, made if need be; the current one when it is left out. */
  readonly directory?: string | undefined;
  /** Prints the path of each file. */
  readonly verbose?: boolean;
}

/**
 * Neither owners nor permissions are restored, and no folders without files.
 * @throws CliError where it is no initramfs, a member would lie outside of the folder, or a file exists already
 */
export async function extractInitrd(options: ExtractInitrdOptions, io: Io): Promise<ExitCode> {
  const { initrd, globs = [], directory = '.', verbose = false } = options;
  const wants = parseInitrdGlobs(globs);
  const members = await readInitrdInput(initrd === '-' ? undefined : initrd, wants, io);
  const files = sortedByPath(members).map(([name, data]) => ({ name, data }));
  for await (const { path } of writeNewFiles(directory, files, io)) {
    if (verbose) await writeStdout(io, [lineForOutput(path, io)]);
  }
  return 0;
}
