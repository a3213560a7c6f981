// @ts-check
/** Where users copy the version from: docs and files for deployment name the package and its container image with their version. */

import { readdirSync } from 'node:fs';
import { join } from 'node:path';

/** The version in `ironic-coreos@VERSION`, `ironic-coreos:VERSION`, `ironic-coreos-VERSION` and `newTag: VERSION`. */
export const VERSION = /(?<=ironic-coreos(?:[@:]v?|-)|newTag: )\d+\.\d+\.\d+(?:-[\w.]+)?/g;

/** Files that may name the version. @param {string} root @returns {string[]} */
export function filesWithVersion(root) {
  return ['deploy', 'docs'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.(?:md|ya?ml)$/.test(name))
      .map((name) => join(root, folder, name)),
  );
}
