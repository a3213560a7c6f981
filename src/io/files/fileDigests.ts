/** Digests of files, in one pass and little memory. */

import { createHash, type Hash } from 'node:crypto';
import { open } from 'node:fs/promises';

/** Bytes that are read at once: with fewer, most of the time goes into asking. */
const BLOCK = 1024 * 1024;

/**
 * What has taken in the whole file, by the names that node:crypto has for digests; to be copied, not used up.
 * @throws system errors
 */
export async function hashFile<Name extends string>(
  path: string,
  names: readonly Name[],
): Promise<ReadonlyMap<Name, Hash>> {
  const hashes = new Map(names.map((name) => [name, createHash(name)]));
  const handle = await open(path, 'r');
  try {
    const block = new Uint8Array(BLOCK);
    for (;;) {
      const { bytesRead } = await handle.read(block, 0, block.length, null);
      if (bytesRead === 0) return hashes;
      for (const hash of hashes.values()) hash.update(block.subarray(0, bytesRead));
    }
  } finally {
    await handle.close();
  }
}
