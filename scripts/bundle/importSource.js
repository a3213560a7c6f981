// @ts-check
/** Imports a module of `src/` for the build: Node 20 does not import TypeScript. */

import { rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'rolldown';

const root = join(import.meta.dirname, '../..');

/** @param {string} path below the root of the project */
export async function importSource(path) {
  // In dist, because the code looks for the files of the package from there.
  const file = join(root, 'dist', `${basename(path, '.ts')}-${process.pid}.js`);
  await build({ input: join(root, path), platform: 'node', output: { file } });
  try {
    return await import(pathToFileURL(file).href);
  } finally {
    rmSync(file);
  }
}
