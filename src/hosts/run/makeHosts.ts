/** The loop of every command for many hosts: one after the other, and a host that is wrong does not stop the others. */

import { CliError } from '../../core/errors.ts';
import type { Io } from '../../io/io.ts';
import { printable } from '../../io/report/printable.ts';
import { formatDetails, formatError } from '../../io/report/remark.ts';
import { collectTalk } from './collectTalk.ts';
import { type HostRun, type NamedHost, tellProblem } from './hostRun.ts';

/** A host of an inventory. */
export interface ListedHost extends NamedHost {
  /** What is wrong with it as it stands, as whole lines; empty where nothing is. */
  readonly problem: string;
}

/**
 * What a command makes of a host; undefined where the host is wrong, after telling why.
 * @throws CliError where it is wrong, too
 */
export type MakeHost<H, M> = (host: H, io: Io) => Promise<M | undefined>;

export interface MadeHost<M> {
  readonly host: NamedHost;
  readonly made: M;
  /** What was said meanwhile, and has not been told. */
  readonly said: string;
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
  const wrong = failFast ? hosts.find(({ problem }) => problem !== '') : undefined;
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
  if (host.problem !== '') {
    tellProblem(host, `\n${host.problem}`, run);
    return undefined;
  }
  const { io, said } = collectTalk(run.io);
  try {
    const made = await make(host, io);
    if (made !== undefined) return { host, made, said: said.join('') };
    tellProblem(host, `:\n${said.join('')}`, run);
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    tellProblem(host, formatProblem(error, said.join('')), run);
  }
  return undefined;
}

/** What was said before stands before the error, which may refer to what is reported above. */
export function formatProblem(error: CliError, said = ''): string {
  if (said !== '') return `:\n${said}${formatError(error)}`;
  return `: ${printable(error.message)}\n${formatDetails(error)}`;
}
