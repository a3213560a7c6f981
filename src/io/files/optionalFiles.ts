/** Files and folders that may be missing or unreadable, which is no error. */

import type { Stats } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';

/** The names in a folder; empty if it cannot be read. */
export async function namesIn(folder: string): Promise<string[]> {
  return readdir(folder).catch(() => []);
}

/** The state of a file, or of the one that a link leads to; undefined if it cannot be read. */
export async function statsOf(path: string): Promise<Stats | undefined> {
  return stat(path).catch(() => undefined);
}
