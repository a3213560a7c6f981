/** The version of this program, for its output files. */

import { readAsset } from '../assets.ts';

let version: string | undefined;

/** As `--version` prints it. */
export function programVersion(): string {
  if (version === undefined) {
    const description: { readonly version: string } = JSON.parse(readAsset('package.json'));
    ({ version } = description);
  }
  return version;
}
