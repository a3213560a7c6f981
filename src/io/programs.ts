/** Programs of the machine as a shell finds them, their output, and the command that starts this one again. */

import { execFile, type ExecFileOptions } from 'node:child_process';
import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { relative } from 'node:path';
import { quoteShellWord } from '../formats/shell.ts';
import { statsOf } from './files/fileStates.ts';
import { programPaths } from './files/platform.ts';
import type { Io } from './io.ts';

/** The path of the first program of this name on PATH. */
export async function findProgram(name: string, env: Io['env']): Promise<string | undefined> {
  for (const path of programPaths(name, env)) if (await isProgram(path)) return path;
  return undefined;
}

export async function isProgram(path: string): Promise<boolean> {
  return (await isAccessible(path, constants.X_OK)) && (await statsOf(path))?.isFile() === true;
}

/** @param mode what this process wants to do with the file: `R_OK`, `W_OK` and `X_OK` of `constants` in node:fs */
export async function isAccessible(path: string, mode: number): Promise<boolean> {
  return access(path, mode).then(
    () => true,
    () => false,
  );
}

interface ProgramEnd {
  readonly stdout: string;
  readonly stderr: string;
  /** Undefined if it was killed. */
  readonly exitCode: number | undefined;
  readonly signal: string | undefined;
}

/**
 * Runs a program, which is killed after the timeout, or if it writes more than `maxBuffer` bytes.
 * @throws system errors if it does not start
 */
export async function runProgram(
  program: string,
  args: readonly string[],
  options: Required<Pick<ExecFileOptions, 'env' | 'timeout' | 'maxBuffer'>> & Pick<ExecFileOptions, 'cwd'>,
): Promise<ProgramEnd> {
  return new Promise((resolve, reject) => {
    execFile(program, args, { ...options, killSignal: 'SIGKILL' }, (error, stdout, stderr) => {
      // The code is a text if the program did not start, or wrote too much.
      const code = error === null ? 0 : error.code;
      if (typeof code === 'number') resolve({ stdout, stderr, exitCode: code, signal: undefined });
      else if (typeof code === 'string' && code !== 'ERR_CHILD_PROCESS_STDIO_MAXBUFFER') reject(error);
      else resolve({ stdout, stderr, exitCode: undefined, signal: error?.signal ?? 'SIGKILL' });
    });
  });
}

const NAME = 'ironic-coreos';

/** `ironic-coreos` if that is on the PATH, else what was started, from the current folder, e.g. `node bin/ironic-coreos.js`. */
export async function programCommand({
  cwd,
  env,
  programPath,
}: Pick<Io, 'cwd' | 'env' | 'programPath'>): Promise<string> {
  if (programPath === undefined) return NAME;
  if (env['npm_command'] === 'exec') return `npx ${NAME}`; // what is on its PATH is not on that of the shell
  if ((await findProgram(NAME, env)) !== undefined) return NAME;
  const near = relative(cwd, programPath);
  const path = quoteShellWord(near.startsWith('..') ? programPath : near);
  if (programPath.endsWith('.js')) return `node ${path}`;
  return path.includes('/') ? path : `./${path}`;
}
