/** Programs of the machine as a shell finds them, and the command that starts this one again. */

import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { isAbsolute, join, relative } from 'node:path';
import { quoteShellWord } from '../formats/shell.ts';
import { statsOf } from './files/fileStates.ts';
import type { Io } from './io.ts';

/** The path of the first program of this name on PATH. Relative folders on PATH do not count. */
export async function findProgram(name: string, env: Io['env']): Promise<string | undefined> {
  const folders = (env['PATH'] ?? '').split(':').filter(isAbsolute);
  for (const folder of folders) {
    const path = join(folder, name);
    if (await isProgram(path)) return path;
  }
  return undefined;
}

/** Whether there is a file that may be run. */
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
