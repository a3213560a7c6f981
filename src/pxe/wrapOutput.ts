/** Where a wrapped archive goes: to standard output, which must not be a terminal, or to a file. */

import { resolve } from 'node:path';
import { UsageError } from '../core/errors.ts';
import type { EmbedFiles } from '../image/embedArea.ts';
import { modeForFiles, parseMode } from '../io/images/imageOutput.ts';
import type { Io } from '../io/io.ts';
import { writeFileAtomically } from '../io/files/newFile.ts';
import { refuseTerminal, writeStdout } from '../io/stdout.ts';

export interface WrapOutput {
  /** A file, which is replaced; `-` is a name like any other, as it is for coreos-installer. */
  readonly output?: string | undefined;
  /** Permission bits of the file in octal; without, as it has them, what the umask gives, or 0600 for secrets. */
  readonly mode?: string | undefined;
}

/** @throws CliError, before anything is read */
export function checkWrapOutput({ output, mode }: WrapOutput, io: Io): void {
  if (mode !== undefined) parseMode(mode);
  if (output !== undefined) return;
  refuseTerminal(io);
  if (mode === undefined) return;
  throw new UsageError('--mode is about a file, and none is written', { hint: 'name the file with -o' });
}

/** An archive and what it holds. */
export interface Archive {
  readonly bytes: Uint8Array;
  readonly files: EmbedFiles;
}

/** @throws CliError in the user's terms; the file is then as it was */
export async function deliverArchive(
  { bytes, files }: Archive,
  { output, mode }: WrapOutput,
  io: Io,
): Promise<void> {
  if (output === undefined) return writeStdout(io, [bytes]);
  const bits = await modeForFiles(mode === undefined ? undefined : parseMode(mode), files, io);
  await writeFileAtomically(resolve(io.cwd, output), bytes, {
    shownPath: output,
    ...(bits !== undefined && { mode: bits }),
  });
}
