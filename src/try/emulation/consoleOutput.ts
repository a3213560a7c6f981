/** The console of an emulated machine: kept in a file as it came, and shown as lines that no terminal obeys. */

import { open } from 'node:fs/promises';
import { resolve } from 'node:path';
import { fileError } from '../../io/files/fileErrors.ts';
import type { Io } from '../../io/io.ts';
import { createConsoleText } from '../timeline/consoleText.ts';

export interface ConsoleOutput {
  take(bytes: Uint8Array): void;
  /** Resolves when all is in the file. Throws CliError where that could not be written. */
  close(): Promise<void>;
}

/** What a machine says may be a secret, as passwords in kernel arguments are. */
const MODE = 0o600;

/** @throws CliError where the file cannot be made */
export async function openConsoleOutput(
  file: string | undefined,
  say: (line: string) => void,
  { cwd }: Pick<Io, 'cwd'>,
): Promise<ConsoleOutput> {
  const text = createConsoleText();
  const show = (lines: readonly string[]): void => lines.forEach((line) => say(`console| ${line}`));
  const action = { path: file ?? '', what: 'Console (--console)' };
  const handle =
    file === undefined
      ? undefined
      : await open(resolve(cwd, file), 'w', MODE).catch((error: unknown) => {
          throw fileError(error, { ...action, action: 'create' });
        });
  let written: Promise<unknown> = Promise.resolve();
  return {
    take: (bytes) => {
      show(text.push(bytes));
      written = written.then(() => handle?.appendFile(bytes));
      written.catch(() => undefined); // told when it is closed
    },
    close: async () => {
      show(text.end());
      try {
        await written;
      } catch (error) {
        throw fileError(error, { ...action, action: 'write' });
      } finally {
        await handle?.close();
      }
    },
  };
}
