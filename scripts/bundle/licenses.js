// @ts-check
/**
 * A plugin of rolldown that puts the licences of the packages inside a bundle beside it, and the reader of that file: the
 * list of components of what we hand out is made of it. NOTICE lists the same packages for people, and `license` in
 * package.json combines their licences; a test compares them.
 */

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** @typedef {{ name: string, version: string, license: string }} Package license: an SPDX expression */

/**
 * What packages declare, and the SPDX expression under which we use them. Before another licence is added here, read what it
 * requires of bundles.
 * @type {ReadonlyMap<string, string>}
 */
const KNOWN = new Map([
  ['Apache-2.0', 'Apache-2.0'],
  ['MIT', 'MIT'],
  ['(BSD-3-Clause OR GPL-2.0)', 'BSD-3-Clause'], // our choice
  ['LGPL-3.0+', 'LGPL-3.0-or-later'],
]);

/** The LGPL adds permissions to the GPL, and requires that both texts are in the bundle. */
const GPL = join(import.meta.dirname, 'GPL-3.0.txt');

const COMMENT = /\/\*[^]*?\*\/|(?:^[ \t]*\/\/.*\n)+/gm;

/** The start of each package's part, e.g. `=== commander 14.0.3 (MIT)`. */
const HEADING = /^=== (?<name>\S+) (?<version>\S+) \((?<license>.+)\)$/gm;

/**
 * @param {string} fileName of the licences, in the folder of the bundle
 */
export function licensesInside(fileName) {
  return {
    name: 'licenses-inside',
    /**
     * @this {import('rolldown').PluginContext}
     * @param {unknown} _options
     * @param {import('rolldown').OutputBundle} bundle
     */
    generateBundle(_options, bundle) {
      const ids = Object.values(bundle).flatMap((file) => (file.type === 'chunk' ? file.moduleIds : []));
      /** @type {Map<string, string[]>} */
      const modules = new Map();
      for (const id of ids) {
        const folder = packageFolder(id);
        if (folder !== undefined) modules.set(folder, [...(modules.get(folder) ?? []), id]);
      }
      const folders = [...modules].toSorted(([a], [b]) => (a < b ? -1 : 1));
      const source = folders.map(([folder, own]) => readLicenses(folder, own)).join('');
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

/** @param {string} folder @param {readonly string[]} modules of it that are in the bundle */
function readLicenses(folder, modules) {
  const files = readdirSync(folder).filter((file) => /^(?:licen[cs]e|notice)/i.test(file));
  if (files.length === 0) throw new Error(`${folder} has no file with its licence`);
  const { name, version, license: declared, repository } = JSON.parse(readText(join(folder, 'package.json')));
  const license = KNOWN.get(declared);
  if (license === undefined)
    throw new Error(`${name} has a licence that is not in ${import.meta.filename}: ${declared}`);
  const texts = files.toSorted().map((file) => readText(join(folder, file)));
  if (license.startsWith('LGPL')) {
    const source = repository.url.replace(/^git\+|\.git$/g, '');
    texts.unshift(`Source code: ${source}, version ${version}; npm packs it as ${name}@${version}.`);
    texts.push(readText(GPL));
  }
  const notices = new Set(modules.flatMap(readNotices));
  return describePackage(
    { name, version, license },
    [...texts, ...notices].map((text) => text.trim()).join('\n\n'),
  );
}

/** Comments with copyrights, which bundles do not contain. @param {string} module @returns {string[]} */
function readNotices(module) {
  const [path = ''] = module.replace(/^\0/, '').split('?');
  const source = readText(path.replace(/\.min(?=\.mjs$)/, ''));
  return [...source.matchAll(COMMENT)].flatMap(([comment]) =>
    /copyright|\blicensed\b|\(c\) ?\d/i.test(comment) ? [comment] : [],
  );
}

/** @param {string} file */
function readText(file) {
  return readFileSync(file, 'utf8');
}
