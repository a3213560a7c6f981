/**
 * What a command for many hosts reports: what is wrong with a host at once, but with many hosts only once; everything
 * else, and which hosts it is true of, at the end.
 */

import { type Diagnostic, type HostNames, diagnosticOf } from '../../core/diagnostic.ts';
import { type FilePlace, formatPlace, CliError } from '../../core/errors.ts';
import type { Io } from '../../io/io.ts';
import { type Progress, showProgress } from '../../io/progress.ts';
import { formatDiagnostic, formatDiagnostics, formatHosts } from '../../io/report/diagnosticText.ts';
import { report, collectDiagnostics } from '../../io/report/report.ts';

/** What becomes of hosts, as a word for sentences about them. */
export type Done = 'written' | 'compared' | 'served';

/** What a run is about. */
export interface HostCommand {
  readonly io: Io;
  readonly done: Done;
  /** Ends at the first host that is wrong. */
  readonly failFast?: boolean | undefined;
  /** Takes each host that is wrong, with all that is wrong with it. */
  readonly onProblem?: (host: NamedHost, problems: readonly Diagnostic[]) => void;
}

/** One run of a command, through all its hosts. */
export interface HostRun extends HostCommand {
  readonly progress: Progress;
  /** What there is to say about hosts that are right. */
  readonly remarks: Map<string, Diagnostic>;
  /** The hosts that are wrong, by all that is wrong with them; of each group the first has been reported. */
  readonly problems: Map<string, HostNames>;
  readonly counts: { wrong: number };
}

/** `total` hosts are to come. */
export function startRun(command: HostCommand, total: number): HostRun {
  return {
    ...command,
    progress: showProgress(command.io.stderr, 'hosts', total),
    remarks: new Map(),
    problems: new Map(),
    counts: { wrong: 0 },
  };
}

/** A host as messages call it. */
export interface NamedHost {
  readonly name: string;
  /** Where the inventory describes it. */
  readonly at: FilePlace;
}

/** Reports a host that is wrong, by all that is wrong with it. */
export function reportProblem(host: NamedHost, problems: readonly Diagnostic[], run: HostRun): void {
  run.counts.wrong += 1;
  run.onProblem?.(host, problems);
  const key = formatDiagnostics(problems);
  const hosts = addHost(run.problems.get(key), host.name);
  run.problems.set(key, hosts);
  if (hosts.count > 1) return;
  run.progress.clear();
  report(run.io, {
    severity: 'error',
    host: { name: host.name, at: host.at },
    message: `${host.name} is not ${run.done} (${formatPlace(host.at)})`,
    details: problems,
  });
}

/** Keeps what was found about a host that is right, until all hosts are done. */
export function keepRemarks(remarks: readonly Diagnostic[], name: string, run: HostRun): void {
  for (const remark of remarks) {
    const key = formatDiagnostic(remark);
    const hosts = addHost(run.remarks.get(key)?.hosts, name);
    run.remarks.set(key, { ...remark, hosts });
  }
}

/** For whoever writes to standard output, which may be the same terminal. */
export function clearProgress({ io, progress }: HostRun): void {
  if (io.stdout.isTTY === true) progress.clear();
}

/** Reports what was found about hosts that are right, and which hosts are wrong like one that has been reported. */
export function reportGroups({ done, io, problems, remarks }: HostRun): void {
  report(io, ...remarks.values());
  for (const { names, count } of problems.values()) {
    const [first = '', ...others] = names;
    if (others.length === 0) continue;
    const same = formatHosts({ names: others, count: count - 1 });
    report(io, { severity: 'error', message: `not ${done} for the same reason as ${first}: ${same}` });
  }
}

/** The end of the last line: `1 wrong; stopped there`. */
export function formatWrong({ counts: { wrong }, failFast }: HostRun): string {
  return `${wrong} wrong${wrong > 0 && failFast === true ? '; stopped there' : ''}`;
}

/** Names that are kept of any number of hosts: enough to see which hosts they are. */
const MOST_NAMES = 3;

export function addHost(hosts: HostNames | undefined, name: string): HostNames {
  const { names, count } = hosts ?? { names: [], count: 0 };
  return { names: count < MOST_NAMES ? [...names, name] : names, count: count + 1 };
}

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
