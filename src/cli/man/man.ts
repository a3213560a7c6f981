/** `man`: the manual pages, one for each command, from the texts of its help. */

import { mkdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { UsageError } from '../../core/errors.ts';
import { fileError } from '../../io/files/fileErrors.ts';
import type { ExitCode, Io } from '../../io/io.ts';
import { writeIfChanged } from '../../io/files/newFile.ts';
import { writeStdout } from '../../io/stdout.ts';
import { hintChoices } from '../../io/report/choices.ts';
import { type CommandDescription, withDescendants } from '../commandDescription.ts';
import { programVersion } from '../../core/programVersion.ts';
import { formatManPage, pageName } from './manPage.ts';

export interface ManOptions {
  /** The command whose page is printed: `['iso', 'kargs']`; none for that of the program. */
  readonly words: readonly string[];
  /** The folder to which all pages are written instead, made if need be. */
  readonly directory?: string;
  readonly program: CommandDescription;
}

/** @throws UsageError where there is no such command, CliError where a page cannot be written */
export async function man(options: ManOptions, io: Io): Promise<ExitCode> {
  const { directory, program, words } = options;
  const release = { version: programVersion(), date: pageDate(io) };
  if (directory === undefined) {
    await writeStdout(io, [Buffer.from(formatManPage(findCommand(program, words), release))]);
    return 0;
  }
  if (words.length > 0) throw new UsageError('-C writes all pages', { hint: 'leave the command out' });
  const folder = resolve(io.cwd, directory);
  await mkdir(folder, { recursive: true }).catch((error: unknown) => {
    throw fileError(error, { path: directory, what: 'Folder', action: 'write' });
  });
  for (const command of withDescendants(program)) {
    const name = `${pageName(command)}.1`;
    const page = Buffer.from(formatManPage(command, release));
    await writeIfChanged(join(folder, name), page, { shownPath: join(directory, name) });
  }
  return 0;
}

function findCommand(program: CommandDescription, words: readonly string[]): CommandDescription {
  let command = program;
  for (const word of words) {
    const names = command.commands.map((child) => child.words.at(-1) ?? '');
    const child = command.commands[names.indexOf(word)];
    if (child === undefined) {
      const hint =
        names.length === 0 ? `${command.words.join(' ')} has no commands` : hintChoices(word, names);
      throw new UsageError(`unknown command: ${JSON.stringify(word)}`, { hint });
    }
    command = child;
  }
  return command;
}

/** Equal sources give equal pages with SOURCE_DATE_EPOCH (https://reproducible-builds.org). */
function pageDate({ env }: Pick<Io, 'env'>): string {
  const epoch = env['SOURCE_DATE_EPOCH'] ?? '';
  const time = /^\d{1,12}$/.test(epoch) ? Number(epoch) * 1000 : Date.now();
  return new Date(time).toISOString().slice(0, 10);
}
