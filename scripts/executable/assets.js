// @ts-check
/** The files of the package that the executable carries. */

import { readdirSync } from 'node:fs';
import { join, sep } from 'node:path';

/** What the program reads, and its modules. */
const FOLDERS = ['bin', 'dist', 'docs', 'src', 'templates'];

/** Sources, and what is for people or for those who use the library. */
const LEFT_OUT = /^dist\/(?:man|schemas|types)\/|^src\/.*\.ts$/;

/**
 * @param {string} root folder of the package, built
 * @returns {Record<string, string>} paths of the files by their names in the package, under which `readAsset` asks for them
 */
export function listAssets(root) {
  const files = FOLDERS.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name)),
  );
  const named = [...files, join(root, 'package.json')]
    .map((file) => [file.slice(root.length + 1).replaceAll(sep, '/'), file])
    .filter(([name = '']) => !LEFT_OUT.test(name));
  return Object.fromEntries(named.toSorted(([a = ''], [b = '']) => (a < b ? -1 : 1)));
}
