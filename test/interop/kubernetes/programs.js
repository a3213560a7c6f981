// @ts-check
/**
 * The programs of a small Kubernetes, etcd and kube-apiserver, and the definition of the kind Ironic: where they are once
 * `fetch.js` has built them.
 */

import { accessSync, constants } from 'node:fs';
import { join } from 'node:path';
import { folder } from '../../oracles/find.js';

export const versions = { etcd: '3.5.17', 'kube-apiserver': '1.31.0' };

/** They are large and take minutes to build. */
export const cacheFolder = join(folder, 'kubernetes');

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

/** The release of ironic-standalone-operator that defines the kind Ironic. */
export const ironicRelease = '0.10.0';

/** The definition in YAML; the file may not be there. */
export const ironicDefinition = join(cacheFolder, `ironics-${ironicRelease}.yaml`);

/** @param {string} file */
function isExecutable(file) {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
