/** undici's parser of HTTP, which is WebAssembly. Loaded on demand. */

import { setFlagsFromString } from 'node:v8';

/** The last version of Node of which is known that it has these flags. */
const NEWEST_KNOWN = 24;

let isCompiled = false;

/**
 * Makes a request; the first one of the process compiles the parser. To have it optimized takes 35 MiB, more than
 * everything else of a transfer, and saves no time that could be measured.
 */
export async function withPlainParser<T>(makeRequest: () => Promise<T>): Promise<T> {
  if (isCompiled) return makeRequest();
  setOptimized(false);
  try {
    return await makeRequest();
  } finally {
    setOptimized(true);
    isCompiled = true;
  }
}

function setOptimized(isOptimized: boolean): void {
  if (Number.parseInt(process.versions.node, 10) > NEWEST_KNOWN) return;
  for (const flag of ['wasm-tier-up', 'wasm-dynamic-tiering']) {
    setFlagsFromString(isOptimized ? `--${flag}` : `--no-${flag}`);
  }
}
