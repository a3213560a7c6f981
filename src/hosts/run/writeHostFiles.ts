/** A folder with a file for each host, several of which are written at a time; files that would stay the same are left alone. */

import { mkdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { diagnosticOf } from '../../core/diagnostic.ts';
import { CliError } from '../../core/errors.ts';
import { fileError } from '../../io/files/fileErrors.ts';
import type { ExitCode } from '../../io/io.ts';
import { writeIfChanged } from '../../io/files/newFile.ts';
import { printable } from '../../io/report/terminalText.ts';
import {
  formatWrong,
  type HostRun,
  keepRemarks,
  reportGroups,
  reportProblem,
  type MadeHost,
} from './hostRun.ts';

export interface FileContent {
  readonly data: Uint8Array;
  /** Permission bits, where those of other new files will not do. */
  readonly mode?: number;
}

/** Where the files go, and what they are. */
export interface HostFolder<M> {
  /** As the user gave it. */
  readonly folder: string;
  /** Behind the name of the host, with its dot. */
  readonly extension: string;
  readonly fileOf: (made: M) => FileContent;
}

/**
 * Ends with 1 where a host is wrong; the others are written.
 * @throws CliError where there can be no such folder, before the first host is made
 */
export async function writeHostFiles<M>(
  made: AsyncIterable<MadeHost<M>>,
  target: HostFolder<M>,
  run: HostRun,
): Promise<ExitCode> {
  const { folder } = target;
  await mkdir(resolve(run.io.cwd, folder), { recursive: true }).catch((error: unknown) => {
    throw fileError(error, { path: folder, what: 'Folder for the hosts', action: 'create' });
  });
  const { written, unchanged } = await writeAll(made, target, run);
  reportGroups(run);
  const end = `${written} written, ${unchanged} unchanged, ${formatWrong(run)}`;
  run.io.stderr.write(`${printable(folder)}: ${end}\n`);
  return run.counts.wrong > 0 ? 1 : 0;
}

/** Files that are on their way to the disk while further hosts are made. */
const mostWrites = 16;

type Outcome = 'written' | 'unchanged' | 'wrong';

async function writeAll<M>(
  made: AsyncIterable<MadeHost<M>>,
  target: HostFolder<M>,
  run: HostRun,
): Promise<Readonly<Record<Outcome, number>>> {
  const counts = { written: 0, unchanged: 0, wrong: 0 };
  const pending = new Set<Promise<void>>();
  for await (const host of made) {
    keepRemarks(host.remarks, host.host.name, run);
    const write = writeOne(host, target, run)
      .then((outcome) => void (counts[outcome] += 1))
      .finally(() => pending.delete(write));
    pending.add(write);
    if (pending.size >= mostWrites) await Promise.race(pending);
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
    return 'wrong';
  }
}
