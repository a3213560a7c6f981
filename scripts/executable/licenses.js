// @ts-check
/** The licence of Node, which is in the executable too. */

import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { describePackage } from '../bundle/licenses.js';

/** Where it is beside a Node in `bin/`: as downloaded, and as of the packages of Debian. */
const PLACES = ['LICENSE', 'share/doc/nodejs/LICENSE', 'share/doc/nodejs/copyright'];

/**
 * @param {string} node path
 * @param {string} builder a Node of the same version that runs here
 * @returns {string} in the form of the licences of the packages
 */
export function describeLicenses(node, builder) {
  const version = execFileSync(builder, ['-p', 'process.versions.node'], { encoding: 'utf8' }).trim();
  // Windows: Node is at the top of its folder.
  const folders = [join(realpathSync(node), '../..'), join(realpathSync(node), '..')];
  const file = folders
    .flatMap((folder) => PLACES.map((name) => join(folder, name)))
    .find((name) => existsSync(name));
  const text =
    file === undefined
      ? `See https://github.com/nodejs/node/blob/v${version}/LICENSE`
      : readFileSync(file, 'utf8');
  return describePackage({ name: 'node', version, license: 'MIT' }, text);
}
