// @ts-check
/** The licence of Node, which is in the executable too. */

import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describePackage } from '../bundle/licenses.js';

/** Where it is beside a Node in `bin/`: as downloaded, and as of the packages of Debian. */
const PLACES = ['LICENSE', 'share/doc/nodejs/LICENSE', 'share/doc/nodejs/copyright'];

/** @param {string} node path @returns {string} in the form of the licences of the packages */
export function describeLicenses(node) {
  const script = 'JSON.stringify([process.execPath, process.versions.node])';
  const [path, version] = JSON.parse(execFileSync(node, ['-p', script], { encoding: 'utf8' }));
  const file = PLACES.map((name) => join(path, '../..', name)).find((name) => existsSync(name));
  const text =
    file === undefined
      ? `See https://github.com/nodejs/node/blob/v${version}/LICENSE`
      : readFileSync(file, 'utf8');
  return describePackage({ name: 'node', version, license: 'MIT' }, text);
}
