/** Where a wrapped archive goes: to standard output, which must not be a terminal, or to a file. */

import { resolve } from 'node:path';
import type { Io } from '../../io/io.ts';
import { writeFileAtomically } from '../../io/outputFile.ts';
import { refuseTerminal, writeStdout } from '../../io/stdout.ts';

export interface WrapOutput {
  /** A file, which is replaced; `-` is a name like any other, as it is for coreos-installer. */
  readonly output?: string | undefined;
}

/** @throws CliError, before anything is read */
export function checkWrapOutput({ output }: WrapOutput, io: Io): void {
  if (output === undefined) refuseTerminal(io);
}

/** @throws CliError in the user's terms; the file is then as it was */
export async function deliverArchive(archive: Uint8Array, { output }: WrapOutput, io: Io): Promise<void> {
  if (output === undefined) await writeStdout(io, [archive]);
  else await writeFileAtomically(resolve(io.cwd, output), archive);
}
