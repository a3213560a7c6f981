// @ts-check
/**
 * What takes the place of `src/core/assets.ts` in the single-file executable: the files of the package are in the executable
 * as assets, the modules that the build makes are in the program itself.
 */

import { readdirSync } from 'node:fs';
import { join, sep } from 'node:path';
import { ASSETS } from './loader.js';

/** The files that the program reads; code and compiled modules are not read but imported. */
const FOLDERS = ['dist/compiled', 'docs', 'src', 'templates'];

/**
 * All that the executable carries, by the names under which `readAsset` asks for them.
 * @param {string} root folder of the package, built
 * @returns {Record<string, string>} paths of the files
 */
export function listAssets(root) {
  const files = FOLDERS.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && !/\.[jt]s$/.test(entry.name))
      .map((entry) => join(entry.parentPath, entry.name)),
  );
  const named = [...files, join(root, 'package.json')].map((file) => [nameOf(root, file), file]);
  return Object.fromEntries(named.toSorted(([a = ''], [b = '']) => (a < b ? -1 : 1)));
}

/**
 * A plugin of rolldown.
 * @param {string} root
 */
export function assetsInside(root) {
  const replaced = join(root, 'src/core/assets.ts');
  return {
    name: 'assets-inside',
    load: {
      filter: { id: replaced },
      handler: () => ({ code: assetsModule(root), moduleType: /** @type {const} */ ('js') }),
    },
  };
}

/** @param {string} root */
function assetsModule(root) {
  const folder = join(root, 'dist/compiled');
  const modules = readdirSync(folder).filter((name) => name.endsWith('.js'));
  const imports = modules.toSorted().map((name) => {
    const file = join(folder, name);
    return `${JSON.stringify(nameOf(root, file))}: () => import(${JSON.stringify(file)}),\n`;
  });
  return `
import { readAsset as read } from ${JSON.stringify(ASSETS)};
const modules = {\n${imports.join('')}};
export const readAsset = (path) => read(path);
export const importAsset = (path) => modules[path]();
export const loadPackage = async () => {};
`;
}

/** @param {string} root @param {string} file */
function nameOf(root, file) {
  return file.slice(root.length + 1).replaceAll(sep, '/');
}
