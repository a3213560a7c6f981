// @ts-check
/** Imports a module of `src/` for the build: Node 20 does not import TypeScript. */

import { join } from 'node:path';
import { build } from 'rolldown';

/** The module must not read files of the package while it loads. @param {string} path below the root of the project */
export async function importSource(path) {
  const input = join(import.meta.dirname, '../..', path);
  const { output } = await build({ input, platform: 'node', write: false });
  return import(`data:text/javascript,${encodeURIComponent(output[0].code)}`);
}
