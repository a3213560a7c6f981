// @ts-check
/**
 * Where the oracles are, and whether they are asked now. `npm test` asks only the usual ones. `npm run oracles` names those to ask
 * in IRONIC_COREOS_ORACLES, with commas in between; so does a user who runs a single test:
 *
 *   IRONIC_COREOS_ORACLES=coreos-installer npx vitest run test/interop/isoKargs.test.ts
 */

import { createHash } from 'node:crypto';
import { accessSync, constants, existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join, relative, resolve } from 'node:path';
import { oracles } from './table.js';

/** @typedef {import('./table.js').Oracle} Oracle */

export const root = resolve(import.meta.dirname, '../..');

/** Outside the checkout: the oracles are large, and take minutes to build. */
export const folder = resolve(
  process.env['IRONIC_COREOS_ORACLES_FOLDER'] ||
    join(process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache'), 'ironic-coreos-test'),
);

/** Names of the oracles to ask besides the usual ones. */
const asked = new Set((process.env['IRONIC_COREOS_ORACLES'] ?? '').split(',').filter((name) => name !== ''));

if (asked.size > 0) {
  const known = (process.env['PATH'] ?? '').split(delimiter);
  const own = [join(folder, 'bin'), ...known, '/usr/local/sbin', '/usr/sbin', '/sbin'];
  process.env['PATH'] = [...new Set(own)].join(delimiter);
}

/** The table, with all properties. @type {readonly Oracle[]} */
export const all = oracles;

/**
 * The oracle of this name, else the first that has a part of this name, if possible one that is asked.
 * @param {string} name
 * @returns {Oracle}
 */
export function oracleOf(name) {
  const having = all.filter((oracle) => oracle.name === name || name in oracle.parts);
  const found =
    having.find((oracle) => oracle.name === name) ??
    having.find((oracle) => asked.has(oracle.name)) ??
    having[0];
  if (found === undefined) throw new Error(`test/oracles/table.js has no ${name}`);
  return found;
}

/** @param {string} name of an oracle or of a part */
export function isAsked(name) {
  const { isUsual = false, name: oracle } = oracleOf(name);
  return isUsual || asked.has(oracle);
}

/**
 * The file of an oracle or of a part; undefined if it is missing.
 * @param {string} name
 * @returns {string | undefined}
 */
export function findFile(name) {
  const { parts } = oracleOf(name);
  const [first = ''] = Object.keys(parts);
  return locate(parts[name] ?? parts[first] ?? '');
}

/**
 * What an oracle or a part lacks.
 * @param {string} name
 * @returns {string[]} names of parts
 */
export function missingParts(name) {
  const { name: oracle, parts } = oracleOf(name);
  return Object.entries(parts)
    .filter(([part]) => oracle === name || part === name)
    .filter(([, place]) => locate(place) === undefined)
    .map(([part]) => part);
}

/** @param {string} place of a part, as in the table @returns {string | undefined} */
function locate(place) {
  if (place.startsWith('$')) return existing(process.env[place.slice(1)]);
  if (place.startsWith('./')) return existing(join(folder, place));
  if (place.startsWith('project:')) return existing(join(root, place.slice('project:'.length)));
  if (place.startsWith('/')) return existing(place);
  const folders = [...(process.env['PATH'] ?? '').split(delimiter), '/usr/sbin', '/sbin'];
  return folders.map((path) => join(path, place)).find(isExecutable);
}

/** @param {string | undefined} path */
function existing(path) {
  return path !== undefined && path !== '' && existsSync(path) ? path : undefined;
}

/** @param {string} file */
function isExecutable(file) {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}

/**
 * A digest of the code that an oracle judges, which tells whether its last verdict is about the present code.
 * @param {Oracle} oracle
 */
export function judgedCode({ judges }) {
  return digestOf(judges.map((path) => join('src', path)));
}

/** @param {readonly string[]} paths files and folders of the checkout */
export function digestOf(paths) {
  const hash = createHash('sha256');
  for (const file of paths.flatMap((path) => filesOf(join(root, path)))) {
    hash
      .update(`${relative(root, file)}\0`)
      .update(readFileSync(file))
      .update('\0');
  }
  return hash.digest('hex').slice(0, 16);
}

/** @param {string} path @returns {string[]} */
function filesOf(path) {
  if (!statSync(path).isDirectory()) return [path];
  return readdirSync(path, { withFileTypes: true })
    .filter(({ name }) => name !== 'node_modules' && name !== 'pages')
    .toSorted((one, other) => (one.name < other.name ? -1 : 1))
    .flatMap((entry) => filesOf(join(path, entry.name)));
}
