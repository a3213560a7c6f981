/** `completion`: a script by which a shell completes the command line, with all names as they are now. */

import { UsageError } from '../../core/errors.ts';
import type { ExitCode, Io } from '../../io/io.ts';
import { writeStdout } from '../../io/stdout.ts';
import { hintChoices } from '../../io/report/choices.ts';
import type { CommandDescription } from '../commandDescription.ts';
import { formatBashCompletion } from './bash.ts';
import { formatFishCompletion } from './fish.ts';
import { formatZshCompletion } from './zsh.ts';

export interface CompletionOptions {
  /** `bash`, `zsh` or `fish`. */
  readonly shell: string;
  readonly program: CommandDescription;
}

const formats: ReadonlyMap<string, (program: CommandDescription) => string> = new Map([
  ['bash', formatBashCompletion],
  ['zsh', formatZshCompletion],
  ['fish', formatFishCompletion],
]);

/** @throws UsageError for any other shell */
export async function completion({ shell, program }: CompletionOptions, io: Io): Promise<ExitCode> {
  const format = formats.get(shell);
  if (format === undefined)
    throw new UsageError(`unknown shell: ${JSON.stringify(shell)}`, {
      hint: hintChoices(shell, [...formats.keys()]),
    });
  await writeStdout(io, [Buffer.from(format(program))]);
  return 0;
}
