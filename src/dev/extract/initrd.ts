/** `dev extract initrd`: writes the regular files of an initramfs to a folder. */

import { listInitrd, sortedByPath, takeInitrdFiles } from '../../image/initrd.ts';
import { parseInitrdGlobs } from '../../image/initrdGlob.ts';
import { prepareExtraction } from '../../io/files/extractFiles.ts';
import type { ExitCode, Io } from '../../io/io.ts';
import { writeStdout } from '../../io/stdout.ts';
import { withRepeatableInitrd } from '../../hosts/input/initrdInput.ts';
import { lineForOutput } from '../../io/report/terminalText.ts';

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
 * Neither owners nor permissions are restored; files with secrets get mode 0600. There are no folders without files. The archive is read twice, once for its names
 * and once for its files, so that it need not fit into memory.
 * @throws CliError where it is no initramfs, a member would lie outside of the folder, or a file exists already
 */
export async function extractInitrd(options: ExtractInitrdOptions, io: Io): Promise<ExitCode> {
  const { initrd, globs = [], directory = '.', verbose = false } = options;
  const wants = parseInitrdGlobs(globs);
  await withRepeatableInitrd(initrd === '-' ? undefined : initrd, io, async (open) => {
    const names = sortedByPath(await listInitrd(open(), wants)).map(([name]) => name);
    const { write, pathOf } = await prepareExtraction(directory, names, io);
    await takeInitrdFiles(open(), wants, (name, data) => write(name, data));
    if (verbose)
      await writeStdout(
        io,
        names.map((name) => lineForOutput(pathOf(name), io)),
      );
  });
  return 0;
}
