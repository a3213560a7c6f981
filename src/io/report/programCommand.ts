/** How the user starts this program again, for commands that are printed to be copied. */

import { relative } from 'node:path';
import { findProgram } from '../findProgram.ts';
import type { Io } from '../io.ts';

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
  const path = quoted(near.startsWith('..') ? programPath : near);
  if (programPath.endsWith('.js')) return `node ${path}`;
  return path.includes('/') ? path : `./${path}`;
}

/** For a shell. */
function quoted(path: string): string {
  return /^[\w./+-]+$/.test(path) ? path : `'${path.replaceAll("'", String.raw`'\''`)}'`;
}
