// @ts-check
/**
 * Leaves in `dist/` the types that the library's reach, as part of the build: tsc writes those of the program too, which
 * nobody can import.
 */

import { readdirSync, readFileSync, rmdirSync, rmSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

const root = resolve(import.meta.dirname, '..');
const dist = join(root, 'dist');
/** @type {{ exports: Record<string, string | { types: string }> }} */
const { exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const reached = reachedFrom(
  Object.values(exports).flatMap((target) => (typeof target === 'string' ? [] : [join(root, target.types)])),
);
for (const entry of readdirSync(dist, { recursive: true, withFileTypes: true })) {
  const file = join(entry.parentPath, entry.name);
  if (file.endsWith('.d.ts') && !reached.has(file)) rmSync(file);
}
removeEmptyFolders(dist);

/** @param {readonly string[]} starts @returns {Set<string>} also the starts themselves */
function reachedFrom(starts) {
  const files = new Set(starts);
  for (const file of files) {
    for (const [, specifier = ''] of readFileSync(file, 'utf8').matchAll(
      /(?:from |import\()['"](\.[^'"]+)['"]/g,
    )) {
      files.add(resolve(dirname(file), specifier.replace(/ts$/, 'd.ts')));
    }
  }
  return files;
}

/** @param {string} folder */
function removeEmptyFolders(folder) {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (entry.isDirectory()) removeEmptyFolders(join(folder, entry.name));
  }
  if (readdirSync(folder).length === 0) rmdirSync(folder);
}
