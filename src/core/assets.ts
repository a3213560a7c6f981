/**
 * The files that this package carries: `schemas/`, `templates/` and `docs/`. They are read from beside the code, whether it
 * runs from `src/` or from `dist/`. Never for the user's files. In the single-file executable, another module with the
 * same exports takes the place of this one: see `.ci/executable/assets.js`.
 */

import { readFileSync } from 'node:fs';

/** The package: the code runs from this file, or from a bundle in a folder of the package, such as `dist/`. */
const root = new URL(import.meta.url.endsWith('/src/core/assets.ts') ? '../..' : '..', import.meta.url);

/** The text of a file of this package, e.g. `templates/ironic-agent.service`. Many hosts use the same few files: each is read once. */
export function readAsset(path: string): string {
  const text = texts.get(path) ?? readFileSync(new URL(path, root), 'utf8');
  texts.set(path, text);
  return text;
}

const texts = new Map<string, string>();

/** What a module that the build makes exports, e.g. `schemas/compiled/inventory.js`: who asks knows of which type it is. */
export async function importAsset(path: string) {
  return import(new URL(path, root).href);
}
