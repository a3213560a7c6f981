/** The serial console of an emulated machine, which is written unchanged to the file of `--console`, and read as lines. */

import { resolve } from 'node:path';
import { finished } from 'node:stream/promises';
import { CliError } from '../../core/errors.ts';
import { diagnosticOf } from '../../core/finding.ts';
import { fileError } from '../../io/files/fileErrors.ts';
import { openPrivate } from '../../io/files/newFile.ts';
import type { Io } from '../../io/io.ts';
import { report } from '../../io/report/report.ts';
import { createConsoleText } from './consoleText.ts';

/**
 * Console output may contain secrets, for example passwords in kernel arguments, so only this user can read a new file. If it cannot
 * be written, that is reported at once.
 * @param onLine gets each line, without control characters
 * @throws CliError if the file cannot be created
 */
export async function openConsoleOutput(file: string | undefined, onLine: (line: string) => void, io: Io) {
  const text = createConsoleText(onLine);
  const place = file === undefined ? undefined : resolve(io.cwd, file);
  const action = { path: file ?? '', what: 'Console (--console)', place };
  const handle =
    place === undefined
      ? undefined
      : await openPrivate(place).catch((error: unknown) => {
          throw fileError(error, { ...action, action: 'create' });
        });
  let problem: unknown;
  const stream = handle?.createWriteStream().on('error', (error) => {
    problem = fileError(error, { ...action, action: 'write' });
    if (problem instanceof CliError) report(io, { ...diagnosticOf(problem), severity: 'warning' });
  });
  return {
    write: (bytes: Uint8Array): void => {
      text.push(bytes);
      if (problem === undefined) stream?.write(bytes);
    },
    /** Resolves when the file is complete. Throws CliError if it cannot be written. */
    close: async (): Promise<void> => {
      text.end();
      if (stream !== undefined) await finished(stream.end()).catch(() => undefined);
      if (problem !== undefined) throw problem;
    },
  };
}
