/** The program as it is built, as a process of its own: for what only a process has, such as what its TLS trusts. */

import { imageEnv } from './agentImage.ts';
import { type ChildProcess, spawn } from 'node:child_process';
import { program } from './packageFolder.ts';

export interface ProgramResult {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface ProgramOptions {
  readonly cwd: string;
  /** Besides PATH and HOME. */
  readonly env?: Readonly<Record<string, string>>;
  /** A script for sh in which `"$@"` is the program with its arguments. */
  readonly script?: string;
}

/** What starts it, before its arguments. */
export const programCommand: readonly string[] = [process.execPath, program];

/** For tests that kill it. */
export function startProgram(args: readonly string[], cwd: string): ChildProcess {
  return spawn(process.execPath, [program, ...args], { cwd, stdio: ['ignore', 'ignore', 'pipe'] });
}

/** Does not stop this process, which may be the server that the program asks. */
export async function runProgram(
  args: readonly string[],
  { cwd, env = {}, script = '"$@"' }: ProgramOptions,
): Promise<ProgramResult> {
  const { PATH, HOME } = process.env;
  const child = spawn('sh', ['-c', script, 'sh', process.execPath, program, ...args], {
    cwd,
    env: { PATH, HOME, ...imageEnv, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const output = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (text: string) => (output[name] += text));
  }
  const code = await new Promise<number | null>((resolve, reject) => {
    child.on('error', reject).on('close', resolve);
  });
  return { code, ...output };
}
