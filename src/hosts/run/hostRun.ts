/**
 * What a command for many hosts tells on standard error: what is wrong with a host at once, but with many hosts only
 * once; everything else, and which hosts it is true of, at the end.
 */

import type { Io } from '../../io/io.ts';
import { type Progress, showProgress } from '../../io/progress.ts';
import { printable } from '../../io/report/printable.ts';
import { addToGroup, formatGroup, type HostGroups } from './hostGroups.ts';

/** What becomes of hosts, as a word for sentences about them. */
export type Done = 'written' | 'compared' | 'served';

/** What a run is about. */
export interface HostCommand {
  readonly io: Io;
  readonly done: Done;
  /** Ends at the first host that is wrong. */
  readonly failFast?: boolean | undefined;
  /** Is told of each host that is wrong, with what goes on behind its place. */
  readonly wrong?: (host: NamedHost, problem: string) => void;
}

/** One run of a command, through all its hosts. */
export interface HostRun extends HostCommand {
  readonly progress: Progress;
  /** What there is to say about hosts that are right. */
  readonly remarks: HostGroups;
  /** What is wrong; of each the first host has been told. */
  readonly problems: HostGroups;
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
  /** Where it begins: `ramdisk.yaml:12`. */
  readonly place: string;
}

/** `problem` goes on behind the place of the host, up to the end of its last line. */
export function tellProblem({ name, place }: NamedHost, problem: string, run: HostRun): void {
  const { counts, done, io, problems, progress } = run;
  counts.wrong += 1;
  run.wrong?.({ name, place }, problem);
  if (addToGroup(problems, problem, name) > 1) return;
  progress.clear();
  io.stderr.write(`error: ${printable(`${name} is not ${done} (${place})`)}${problem}`);
}

/** For whoever writes to standard output, which may be the same terminal. */
export function makeRoom({ io, progress }: HostRun): void {
  if (io.stdout.isTTY === true) progress.clear();
}

/** Tells what was said of hosts that are right, and which hosts are wrong like one that has been told. */
export function tellGroups({ done, io, problems, remarks }: HostRun): void {
  for (const [said, hosts] of remarks) io.stderr.write(`${said}  for ${formatGroup(hosts)}\n`);
  for (const { names, count } of problems.values()) {
    const [first = '', ...others] = names;
    if (others.length === 0) continue;
    const same = formatGroup({ names: others, count: count - 1 });
    io.stderr.write(`error: not ${done} for the same reason as ${printable(first)}: ${same}\n`);
  }
}

/** The end of the last line: `1 wrong; stopped there`. */
export function formatWrong({ counts: { wrong }, failFast }: HostRun): string {
  return `${wrong} wrong${wrong > 0 && failFast === true ? '; stopped there' : ''}`;
}
