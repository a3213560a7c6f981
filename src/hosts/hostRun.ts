/** Runs a command over many hosts. Errors and warnings of all hosts are reported together at the end. */

import { join, resolve } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Diagnostic, diagnosticOf } from '../core/finding.ts';
import { CliError, type FilePlace } from '../core/errors.ts';
import { isDiskFull } from '../io/files/fileErrors.ts';
import { append } from '../core/lists.ts';
import { formatCount } from '../formats/messageText.ts';
import { makeFolder, writeIfChanged } from '../io/files/newFile.ts';
import type { ExitCode, Io } from '../io/io.ts';
import { printable } from '../core/foreignText.ts';
import { type Progress, showHosts } from '../io/progress.ts';
import { collectDiagnostics, knownError, report } from '../io/report/report.ts';

export interface HostCommand {
  readonly io: Io;
  /** What the command does with valid hosts, for messages. */
  readonly done: 'written' | 'rendered' | 'served';
  readonly failFast?: boolean | undefined;
  /** Called for each invalid host, with its errors and warnings. */
  readonly onProblem?: (host: NamedHost, problems: readonly Diagnostic[]) => void;
  /** The hosts whose last valid result stays in use if they are invalid now. */
  readonly kept?: { has(name: string): boolean } | undefined;
}

export interface HostRun extends HostCommand {
  readonly progress: Progress;
  readonly total: number;
  /** Errors and warnings that have not been reported yet, with their hosts. */
  readonly problems: Diagnostic[];
  readonly counts: { invalid: number };
}

export function startRun(command: HostCommand, total: number): HostRun {
  return {
    ...command,
    total,
    progress: showHosts(command.io),
    problems: [],
    counts: { invalid: 0 },
  };
}

interface NamedHost {
  readonly name: string;
  readonly at: FilePlace;
}

function keepInvalid(host: NamedHost, problems: readonly Diagnostic[], run: HostRun): void {
  run.counts.invalid += 1;
  run.onProblem?.(host, problems);
  const isKept = run.kept?.has(host.name) === true;
  const state = isKept ? 'invalid, and the last valid image stays in use' : `not ${run.done}`;
  append(
    run.problems,
    problems.map((problem) => ({ ...problem, host: { name: host.name, at: host.at, state } })),
  );
}

/** Keeps warnings about a valid host for the end. */
export function keepRemarks(remarks: readonly Diagnostic[], name: string, run: HostRun): void {
  append(
    run.problems,
    remarks.map((remark) => ({ ...remark, host: { name } })),
  );
}

/** Reports the errors and warnings that have been kept: those that several hosts have in common once, with the names of the hosts. */
export function reportGroups({ io, problems }: HostRun): void {
  report(io, problems.splice(0));
}

/** The end of the last line: `1 invalid; stopped (--fail-fast)`. */
export function formatInvalid({ counts: { invalid }, failFast }: HostRun): string {
  return `${invalid} invalid${invalid > 0 && failFast === true ? '; stopped (--fail-fast)' : ''}`;
}

export interface ListedHost extends NamedHost {
  readonly problems: readonly Diagnostic[];
}

/**
 * Creates the output for a host. Returns undefined for an invalid host, after reporting its errors; whatever it throws is
 * an error of the host, too, except a full disk.
 */
export type MakeHost<H, M> = (host: H, io: Io) => Promise<M | undefined>;

export interface MadeHost<M> {
  readonly host: NamedHost;
  readonly made: M;
  /** Warnings that have not been reported yet. */
  readonly remarks: readonly Diagnostic[];
}

/** Milliseconds. Hosts are made without waiting for files: meanwhile a service would answer neither requests nor signals. */
const TURN = 20;

/**
 * Yields the valid hosts one by one, and keeps the errors of the invalid ones for {@link reportGroups}. With `failFast`, a host with
 * an invalid description ends the run before any host is processed.
 */
export async function* makeHosts<H extends ListedHost, M>(
  hosts: readonly H[],
  make: MakeHost<H, M>,
  run: HostRun,
): AsyncGenerator<MadeHost<M>> {
  const { counts, failFast = false, progress } = run;
  let turn = performance.now();
  const invalid = failFast ? hosts.find(({ problems }) => problems.length > 0) : undefined;
  try {
    for (const [index, host] of (invalid === undefined ? hosts : [invalid]).entries()) {
      progress.update(index, hosts.length);
      run.io.signal?.throwIfAborted();
      if (performance.now() - turn > TURN) {
        await nextTurn();
        turn = performance.now();
      }
      const { io, reported } = collectDiagnostics(run.io);
      let made: M | undefined;
      let problems = host.problems;
      if (problems.length === 0) {
        try {
          made = await make(host, io);
          problems = reported;
        } catch (error) {
          if (endsRun(error, run)) {
            reportGroups(run);
            throw error;
          }
          // The error may refer to the warnings before it.
          problems = [...reported, diagnosticOf(knownError(error, run.io))];
        }
      }
      if (made === undefined) keepInvalid(host, problems, run);
      else yield { host, made, remarks: reported };
      if (failFast && counts.invalid > 0) return;
    }
    progress.update(hosts.length, hosts.length);
  } finally {
    progress.end();
  }
}

/** Any other error concerns one host, also if it is a defect of this program. */
function endsRun(error: unknown, { io }: HostRun): boolean {
  return isDiskFull(error) || io.signal?.aborted === true;
}

/**
 * Writes hosts while further hosts are processed. The errors of invalid hosts are kept, too. A full disk ends the run.
 * @param limit for hosts that are written at the same time
 * @param write throws for an invalid host
 */
export async function writeMade<M>(
  hosts: AsyncIterable<MadeHost<M>>,
  limit: number,
  write: (made: MadeHost<M>) => Promise<void>,
  run: HostRun,
): Promise<void> {
  const pending = new Set<Promise<void>>();
  const failures: unknown[] = [];
  let complete = 0;
  for await (const made of hosts) {
    keepRemarks(made.remarks, made.host.name, run);
    const written = write(made)
      .then(() => void (complete += 1))
      .catch((error: unknown) => {
        if (endsRun(error, run)) failures.push(error);
        else keepInvalid(made.host, [diagnosticOf(knownError(error, run.io))], run);
      })
      .finally(() => pending.delete(written));
    pending.add(written);
    if (pending.size >= limit) await Promise.race(pending);
    if (failures.length > 0) break;
  }
  await Promise.all(pending);
  if (failures.length === 0) return;
  reportGroups(run);
  const [first] = failures;
  if (!(first instanceof CliError)) throw first;
  const { code, hint, sentence: found } = first;
  const progress = `${complete} of ${formatCount(run.total, 'host')} complete`;
  throw new CliError(`${found}; ${progress}`, { code, hint, cause: first });
}

export interface FileContent {
  readonly data: Uint8Array;
  /** Permission bits, if they differ from those of other new files. */
  readonly mode?: number;
}

/**
 * The exit code is 1 if a host is invalid; the other hosts are written.
 * @param folder as the user gave it
 * @param extension follows the name of the host; with a leading dot
 * @throws CliError if the folder cannot be created, before the first host is processed
 */
export async function writeHostFiles<M>(
  made: AsyncIterable<MadeHost<M>>,
  folder: string,
  extension: string,
  fileOf: (made: M) => FileContent,
  run: HostRun,
): Promise<ExitCode> {
  await makeFolder(resolve(run.io.cwd, folder), folder);
  const counts = { written: 0, unchanged: 0 };
  const write = async (one: MadeHost<M>): Promise<void> => {
    const { data, ...options } = fileOf(one.made);
    const shownPath = join(folder, `${one.host.name}${extension}`);
    const { cwd, inputs } = run.io;
    const isWritten = await writeIfChanged(resolve(cwd, shownPath), data, { ...options, shownPath, inputs });
    counts[isWritten ? 'written' : 'unchanged'] += 1;
  };
  await writeMade(made, MAX_WRITES, write, run);
  reportGroups(run);
  const end = `${counts.written} written, ${counts.unchanged} unchanged, ${formatInvalid(run)}`;
  run.io.stderr.write(`${printable(folder)}: ${end}\n`);
  return run.counts.invalid > 0 ? 1 : 0;
}

/** Limit for files that are written while further hosts are processed. */
const MAX_WRITES = 16;
