/** Whether tests can watch and kill a program at its system calls. */

import { spawnSync } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { have, oracleNote } from './programs.ts';

/** Whether strace is installed and may trace here. */
export const canTrace = have('strace') && spawnSync('strace', ['-e', 'trace=none', 'true']).status === 0;

/** For test titles: ` (skipped: strace may not trace here)`, or nothing. */
export const traceNote =
  have('strace') && !canTrace ? ' (skipped: strace may not trace here)' : oracleNote('strace');

/** Where a program is killed. */
export interface Moment {
  readonly call: string;
  /** Counts from 1, in each thread. */
  readonly count: number;
  /** Whether calls of other threads than the main one count. */
  readonly threads: 'all' | 'main';
}

interface Place {
  readonly cwd: string;
  readonly env?: NodeJS.ProcessEnv;
}

/** strace counts the calls of each thread, and Node writes on several. */
const placeOf = ({ cwd, env = process.env }: Place): Place => ({
  cwd,
  env: { ...env, UV_THREADPOOL_SIZE: '1' },
});

/** Runs a program once. @returns all moments at which it can be killed, in the order of the calls */
export function momentsOf(calls: readonly string[], command: readonly string[], place: Place): Moment[] {
  const trace = ['-f', '--seccomp-bpf', '-qq', '-o', '|cat >&2', '-e', `trace=execve,${calls.join(',')}`];
  const { stderr } = spawnSync('strace', [...trace, ...command], { ...placeOf(place), encoding: 'utf8' });
  const seen = [...stderr.matchAll(/^(\d+) +(\w+)\(/gm)].map(([, thread, call]) => ({ thread, call }));
  const main = seen[0]?.thread;
  return calls.flatMap((call) => {
    const counts = new Map<string | undefined, number>();
    for (const one of seen) if (one.call === call) counts.set(one.thread, (counts.get(one.thread) ?? 0) + 1);
    const ofMain = counts.get(main) ?? 0;
    const most = { all: Math.max(0, ...counts.values()), main: counts.size > 1 ? ofMain : 0 };
    return (['all', 'main'] as const).flatMap((threads) =>
      Array.from({ length: most[threads] }, (_, index) => ({ call, threads, count: index + 1 })),
    );
  });
}

/** For test titles: where {@link sampleOf} begins, which IRONIC_COREOS_SEED repeats. */
export const killSeed = Number(process.env['IRONIC_COREOS_SEED'] ?? randomInt(1000));

/** So many of the moments, at equal distances. */
export function sampleOf(moments: readonly Moment[], count: number): readonly Moment[] {
  const distance = Math.max(1, moments.length / count);
  const first = (distance * killSeed) / 1000;
  return moments.filter(
    (_, index) => Math.floor((index - first) / distance) !== Math.floor((index - 1 - first) / distance),
  );
}

/** Runs a program. @returns whether it was killed at the call */
export function killAt({ call, count, threads }: Moment, command: readonly string[], place: Place): boolean {
  const follow = threads === 'all' ? ['-f'] : [];
  const inject = ['-e', `trace=${call}`, '-e', `inject=${call}:signal=SIGKILL:when=${count}`];
  const args = [...follow, '-qq', '-o', '/dev/null', ...inject, ...command];
  const { status, signal } = spawnSync('strace', args, placeOf(place));
  return signal === 'SIGKILL' || status === 137;
}
