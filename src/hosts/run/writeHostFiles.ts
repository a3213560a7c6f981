/** Writes one file for each host into a folder, several at the same time. Unchanged files are not written. */

import { mkdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { diagnosticOf } from '../../core/diagnostic.ts';
import { CliError } from '../../core/errors.ts';
import { fileError } from '../../io/files/fileErrors.ts';
import type { ExitCode } from '../../io/io.ts';
import { writeIfChanged } from '../../io/files/newFile.ts';
import { printable } from '../../io/report/terminalText.ts';
import {
  formatInvalid,
  type HostRun,
  keepRemarks,
  reportGroups,
  reportProblem,
  type MadeHost,
} from './hostRun.ts';

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
  const { folder } = target;
  await mkdir(resolve(run.io.cwd, folder), { recursive: true }).catch((error: unknown) => {
    throw fileError(error, { path: folder, what: 'Output folder', action: 'create' });
  });
  const { written, unchanged } = await writeAll(made, target, run);
  reportGroups(run);
  const end = `${written} written, ${unchanged} unchanged, ${formatInvalid(run)}`;
  run.io.stderr.write(`${printable(folder)}: ${end}\n`);
  return run.counts.invalid > 0 ? 1 : 0;
}

/** Limit for files that are written while further hosts are processed. */
const maxWrites = 16;

type Outcome = 'written' | 'unchanged' | 'invalid';

async function writeAll<M>(
  made: AsyncIterable<MadeHost<M>>,
  target: HostFolder<M>,
  run: HostRun,
): Promise<Readonly<Record<Outcome, number>>> {
  const counts = { written: 0, unchanged: 0, invalid: 0 };
  const pending = new Set<Promise<void>>();
  for await (const host of made) {
    keepRemarks(host.remarks, host.host.name, run);
    const write = writeOne(host, target, run)
      .then((outcome) => void (counts[outcome] += 1))
      .finally(() => pending.delete(write));
    pending.add(write);
    if (pending.size >= maxWrites) await Promise.race(pending);
  }
  await Promise.all(pending);
  return counts;
}

async function writeOne<M>(
  { host, made }: MadeHost<M>,
  { extension, fileOf, folder }: HostFolder<M>,
  run: HostRun,
): Promise<Outcome> {
  const { data, ...options } = fileOf(made);
  try {
    const path = join(resolve(run.io.cwd, folder), `${host.name}${extension}`);
    return (await writeIfChanged(path, data, options)) ? 'written' : 'unchanged';
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    reportProblem(host, [diagnosticOf(error)], run);
    return 'invalid';
  }
}
