/**
 * The files that this package carries: `schemas/` and `templates/`. They are read from beside the code, whether it runs
 * from `src/` or from `dist/`. Never for the user's files.
 */

import { readFileSync } from 'node:fs';

/** The text of a file of this package, e.g. `templates/ironic-agent.service`. */
export function readAsset(path: string): string {
  return readFileSync(assetUrl(path), 'utf8');
}

/** Where a file of this package is, to import a compiled schema from. */
export function assetUrl(path: string): URL {
  return new URL(`../${path}`, import.meta.url);
}
