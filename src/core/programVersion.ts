/** The version of this program, for its output files. */

import { readAsset } from '../assets.ts';

let version: string | undefined;

/** As `--version` prints it. */
export function programVersion(): string {
  version ??= readVersion();
  return version;
}

function readVersion(): string {
  const description: unknown = JSON.parse(readAsset('package.json'));
  const isObject = typeof description === 'object' && description !== null && 'version' in description;
  return isObject ? String(description.version) : '';
}
