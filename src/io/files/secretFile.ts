/** Reads files with secrets, such as tokens and passwords. */

import { quoteShellWord } from '../../formats/shell.ts';
import { resolve } from 'node:path';
import type { Io } from '../io.ts';
import { report } from '../report/report.ts';
import { statsOf } from './fileStates.ts';
import { type Expected, readUserFile } from './files.ts';
import { canAllRead } from './platform.ts';

/**
 * The text of a file with a secret. Warns if all users of the machine can read it.
 * @throws CliError if it cannot be read
 */
export async function readSecretFile(path: string, io: Io, expected: Expected): Promise<string> {
  const bytes = await readUserFile(path, io, expected);
  const stats = await statsOf(resolve(io.cwd, path));
  if (stats !== undefined && canAllRead(stats)) {
    report(io, {
      severity: 'warning',
      message: `all users of this machine can read ${path}`,
      hint: `run: chmod o= ${quoteShellWord(path)}`,
    });
  }
  return Buffer.from(bytes).toString('utf8');
}
