/** What package.json says about this program, for its output. */

import { readAsset } from './assets.ts';
import { once } from './once.ts';

const readPackage = once((): { readonly version: string } => JSON.parse(readAsset('package.json')));

/** As `--version` prints it. */
export function programVersion(): string {
  return readPackage().version;
}
