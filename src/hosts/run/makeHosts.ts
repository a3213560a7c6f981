/** The loop of every command for many hosts: one after the other, and a host that is wrong does not stop the others. */

import { type Diagnostic, diagnosticOf } from '../../core/diagnostic.ts';
import { CliError } from '../../core/errors.ts';
import type { Io } from '../../io/io.ts';
import { collectDiagnostics } from '../../io/report/report.ts';
import { type HostRun, type NamedHost, reportProblem } from './hostRun.ts';

/** A host of an inventory. */
export interface ListedHost extends NamedHost {
  /** What is wrong with its description. */
  readonly problems: readonly Diagnostic[];
}

/**
 * What a command makes of a host; undefined where the host is wrong, after telling why.
 * @throws CliError where it is wrong, too
 */
export type MakeHost<H, M> = (host: H, io: Io) => Promise<M | undefined>;

export interface MadeHost<M> {
  readonly host: NamedHost;
  readonly made: M;
  /** What was found meanwhile, and has not been reported. */
  readonly remarks: readonly Diagnostic[];
}

/**
 * The hosts that are right, as they are asked for; those that are wrong are told. To stop at the first that is wrong is to
 * stop before all others at one that is not even described right.
 */
export async function* makeHosts<H extends ListedHost, M>(
  hosts: readonly H[],
  make: MakeHost<H, M>,
  run: HostRun,
): AsyncGenerator<MadeHost<M>> {
  const { counts, failFast = false, progress } = run;
  const wrong = failFast ? hosts.find(({ problems }) => problems.length > 0) : undefined;
  try {
    for (const [index, host] of (wrong === undefined ? hosts : [wrong]).entries()) {
      progress.update(index);
      const made = await makeHost(host, make, run);
      if (made !== undefined) yield made;
      if (failFast && counts.wrong > 0) return;
    }
  } finally {
    progress.clear();
  }
}

async function makeHost<H extends ListedHost, M>(
  host: H,
  make: MakeHost<H, M>,
  run: HostRun,
): Promise<MadeHost<M> | undefined> {
  if (host.problems.length > 0) {
    reportProblem(host, host.problems, run);
    return undefined;
  }
  const { io, reported } = collectDiagnostics(run.io);
  try {
    const made = await make(host, io);
    if (made !== undefined) return { host, made, remarks: reported };
    reportProblem(host, reported, run);
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    reportProblem(host, [...reported, diagnosticOf(error)], run); // the error may refer to what is above it
  }
  return undefined;
}
