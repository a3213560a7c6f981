/** Writes one file for each host into a folder, several at the same time. Unchanged files are not written. */

import { mkdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { fileError } from '../../io/files/fileErrors.ts';
import type { ExitCode } from '../../io/io.ts';
import { writeIfChanged } from '../../io/files/newFile.ts';
import { printable } from '../../io/report/terminalText.ts';
import { formatInvalid, type HostRun, reportGroups, type MadeHost, writeMade } from './hostRun.ts';

export interface FileContent {
  readonly data: Uint8Array;
  /** Permission bits, if they differ from those of other new files. */
  readonly mode?: number;
}

/** The folder, and the names and contents of its files. */
export interface HostFolder<M> {
  /** As the user gave it. */
  readonly folder: string;
  /** Follows the name of the host; with a leading dot. */
  readonly extension: string;
  readonly fileOf: (made: M) => FileContent;
}

/**
 * The exit code is 1 if a host is invalid; the other hosts are written.
 * @throws CliError if the folder cannot be created, before the first host is processed
 */
export async function writeHostFiles<M>(
  made: AsyncIterable<MadeHost<M>>,
  target: HostFolder<M>,
  run: HostRun,
): Promise<ExitCode> {
  const { extension, fileOf, folder } = target;
  await mkdir(resolve(run.io.cwd, folder), { recursive: true }).catch((error: unknown) => {
    throw fileError(error, { path: folder, what: 'Output folder', action: 'create' });
  });
  const counts = { written: 0, unchanged: 0 };
  const write = async (one: MadeHost<M>): Promise<void> => {
    const { data, ...options } = fileOf(one.made);
    const path = join(resolve(run.io.cwd, folder), `${one.host.name}${extension}`);
    counts[(await writeIfChanged(path, data, options)) ? 'written' : 'unchanged'] += 1;
  };
  await writeMade(made, { limit: maxWrites, write }, run);
  reportGroups(run);
  const end = `${counts.written} written, ${counts.unchanged} unchanged, ${formatInvalid(run)}`;
  run.io.stderr.write(`${printable(folder)}: ${end}\n`);
  return run.counts.invalid > 0 ? 1 : 0;
}

/** Limit for files that are written while further hosts are processed. */
const maxWrites = 16;
