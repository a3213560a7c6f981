// @ts-check
/**
 * The programs of a small Kubernetes, etcd and kube-apiserver, and the resource definitions of Metal3: where they are once
 * `fetch.js` has built them.
 */

import { accessSync, constants, existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

export const versions = { etcd: '3.5.17', 'kube-apiserver': '1.31.0' };

/** Outside the checkout, as they are large and take minutes to build. */
export const cacheFolder = join(
  process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache'),
  'ironic-coreos-test',
  'kubernetes',
);

/**
 * @param {keyof typeof versions} name
 * @returns {string} its file, which may not be there
 */
export function programFile(name) {
  return join(cacheFolder, `${name}-${versions[name]}`);
}

/** @returns {readonly (keyof typeof versions)[]} what a Kubernetes still needs */
export function missingPrograms() {
  const names = /** @type {const} */ (['etcd', 'kube-apiserver']);
  return names.filter((name) => !isExecutable(programFile(name)));
}

/** Releases of the operators that define these kinds. */
export const definitions = { ironics: '0.10.0', baremetalhosts: '0.12.0' };

/**
 * @param {keyof typeof definitions} name
 * @returns {string} its file in YAML, which may not be there
 */
export function definitionFile(name) {
  return join(cacheFolder, `${name}-${definitions[name]}.yaml`);
}

/** @returns {readonly (keyof typeof definitions)[]} what `fetch.js` has not yet generated */
export function missingDefinitions() {
  const names = /** @type {const} */ (['ironics', 'baremetalhosts']);
  return names.filter((name) => !existsSync(definitionFile(name)));
}

/** @param {string} file */
function isExecutable(file) {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
