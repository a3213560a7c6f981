/** Long-running programs of the chain: each in a process group of its own, with its output in a file. */

import { spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

export interface Program {
  /** Resolves when the condition holds. Rejects with the end of the output if the program ends first, or after a minute. */
  readonly until: (condition: () => Promise<boolean>) => Promise<void>;
  /** Kills the whole process group. */
  readonly stop: () => Promise<void>;
}

const ATTEMPTS = 120;
const ATTEMPT_MILLISECONDS = 500;

/** @param output file for standard output and errors */
export function startProgram(
  command: readonly [program: string, ...args: string[]],
  output: string,
  env: NodeJS.ProcessEnv = process.env,
): Program {
  const [name] = command;
  const file = openSync(output, 'w');
  // The program also ends if the test runner is killed.
  const child = spawn('setpriv', ['--pdeathsig', 'KILL', ...command], {
    detached: true,
    env,
    stdio: ['ignore', file, file],
  });
  closeSync(file);
  const ended = new Promise<void>((resolve) => {
    child.once('error', () => resolve()).once('exit', () => resolve());
  });
  const isRunning = (): boolean =>
    child.pid !== undefined && child.exitCode === null && child.signalCode === null;
  const until: Program['until'] = async (condition) => {
    for (let attempt = 0; attempt < ATTEMPTS && isRunning(); attempt++) {
      if (await condition()) return;
      await Promise.race([sleep(ATTEMPT_MILLISECONDS), ended]);
    }
    const state = isRunning() ? 'is not ready' : 'has ended';
    throw new Error(`${name} ${state}: ${readFileSync(output, 'utf8').slice(-2000)}`);
  };
  const stop = async (): Promise<void> => {
    // A group of which every process has ended is no longer there.
    if (child.pid !== undefined && isRunning()) process.kill(-child.pid, 'SIGKILL');
    await ended;
  };
  return { until, stop };
}
