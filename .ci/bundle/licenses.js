// @ts-check
/**
 * A plugin of rolldown that puts the licences of the packages inside a bundle beside it, and the reader of that file: the
 * list of components of what we hand out is made of it. Packages which are installed with ours bring their own.
 */

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** @typedef {{ name: string, version: string, license: string }} Package license: an SPDX expression */

/** The start of each package's part, e.g. `=== commander 14.0.3 (MIT)`. */
const HEADING = /^=== (?<name>\S+) (?<version>\S+) \((?<license>.+)\)$/gm;

/**
 * Of two bundles that are written one after the other into one folder, the file has the packages of both.
 * @param {string} fileName of the licences, in the folder of the bundle
 */
export function licensesInside(fileName) {
  /** @type {Set<string>} */
  const folders = new Set();
  return {
    name: 'licenses-inside',
    /**
     * @this {import('rolldown').PluginContext}
     * @param {unknown} _options
     * @param {import('rolldown').OutputBundle} bundle
     */
    generateBundle(_options, bundle) {
      const ids = Object.values(bundle).flatMap((file) => (file.type === 'chunk' ? file.moduleIds : []));
      for (const id of ids) {
        const folder = packageFolder(id);
        if (folder !== undefined) folders.add(folder);
      }
      const source = [...folders].toSorted().map(readLicenses).join('');
      this.emitFile({ type: 'asset', fileName, source });
    },
  };
}

/** @param {string} text of the file that the plugin made @returns {Package[]} */
export function parseLicenses(text) {
  return [...text.matchAll(HEADING)].map(({ groups: { name = '', version = '', license = '' } = {} }) => ({
    name,
    version,
    license,
  }));
}

/** @param {Package} subject @param {string} text of its licence @returns {string} its part of the file */
export function describePackage({ name, version, license }, text) {
  return `=== ${name} ${version} (${license})\n\n${text.trim()}\n\n`;
}

/** The innermost package that a module belongs to; ours is none. @param {string} id */
function packageFolder(id) {
  return /^.*[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+/.exec(id.replace(/^\0/, ''))?.[0];
}

/** @param {string} folder */
function readLicenses(folder) {
  const files = readdirSync(folder).filter((file) => /^(?:licen[cs]e|notice)/i.test(file));
  if (files.length === 0) throw new Error(`${folder} has no file with its licence`);
  const texts = files.toSorted().map((file) => readFileSync(join(folder, file), 'utf8').trim());
  return describePackage(JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')), texts.join('\n\n'));
}
