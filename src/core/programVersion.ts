/** What package.json says about this program, for its output. */

import { readAsset } from './assets.ts';
import { once } from './once.ts';

interface Manifest {
  readonly version: string;
  /** Only in releases: `scripts/setRepository.js` writes it. */
  readonly repository?: { readonly url: string };
}

const readPackage = once((): Manifest => JSON.parse(readAsset('package.json')));

/** As `--version` prints it. */
export function programVersion(): string {
  return readPackage().version;
}

/** `https://HOST/OWNER/NAME`; undefined in a package whose repository is unknown. */
export function repositoryAddress(): string | undefined {
  return readPackage().repository?.url.replace(/^git\+|\.git$/g, '');
}
