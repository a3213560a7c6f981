// @ts-check
/**
 * Leaves in `dist/` the types that the library's reach, as part of the build: tsc writes those of the program too, which
 * nobody can import.
 */

import { readdirSync, readFileSync, rmdirSync, rmSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

const dist = resolve(import.meta.dirname, '../dist');
const reached = reachedFrom(join(dist, 'index.d.ts'));
for (const entry of readdirSync(dist, { recursive: true, withFileTypes: true })) {
  const file = join(entry.parentPath, entry.name);
  if (file.endsWith('.d.ts') && !reached.has(file)) rmSync(file);
}
removeEmptyFolders(dist);

/** @param {string} start @returns {Set<string>} also the start itself */
function reachedFrom(start) {
  const files = new Set([start]);
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
