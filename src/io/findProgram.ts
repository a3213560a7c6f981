/** Programs of the machine, as a shell finds them. */

import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { isAbsolute, join } from 'node:path';
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
  try {
    await access(path, constants.X_OK);
    return (await stat(path)).isFile();
  } catch {
    return false;
  }
}
