/** `dev show initrd`: lists the regular files of an initramfs. */

import { listInitrd, sortedByPath } from '../../image/initrd.ts';
import { parseInitrdGlobs } from '../../image/initrdGlob.ts';
import type { ExitCode, Io } from '../../io/io.ts';
import { writeStdout } from '../../io/stdout.ts';
import { withInitrd } from '../../hosts/input/initrdInput.ts';
import { lineForOutput } from '../../io/report/terminalText.ts';
import { jsonBytes, parseTextOrJson } from '../../io/report/choices.ts';

export interface ShowInitrdOptions {
  /** Path of the initramfs; `-` is standard input. */
  readonly initrd: string;
  /** Patterns for paths; without, all files are listed. */
  readonly globs?: readonly string[];
  /** `text` when it is left out. */
  readonly format?: string | undefined;
}

/**
 * Paths in the order of their bytes, one a line; as JSON, `files` is a list of `path` and `size`, in bytes.
 * @throws CliError where it is no initramfs, or a pattern is wrong
 */
export async function showInitrd(
  { initrd, globs = [], format }: ShowInitrdOptions,
  io: Io,
): Promise<ExitCode> {
  const form = parseTextOrJson(format);
  const wants = parseInitrdGlobs(globs);
  const path = initrd === '-' ? undefined : initrd;
  const files = sortedByPath(await withInitrd(path, io, (source) => listInitrd(source, wants)));
  const output =
    form === 'json'
      ? jsonBytes({ files: files.map(([name, size]) => ({ path: name, size })) })
      : Buffer.concat(files.map(([name]) => lineForOutput(name, io)));
  await writeStdout(io, [output]);
  return 0;
}
