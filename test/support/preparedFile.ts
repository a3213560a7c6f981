/** Finds files in a folder that `prepare` has written. */

import { readdirSync } from 'node:fs';
import { basename, join } from 'node:path';

/** The path of a file of a host in a new prepared folder. Files that boot scripts name are in a folder with an ID. */
export function preparedFile(folder: string, host: string, name: string): string {
  const ofHost = join(folder, 'hosts', host);
  const found = readdirSync(ofHost, { recursive: true, encoding: 'utf8' });
  return join(ofHost, found.find((path) => basename(path) === name) ?? name);
}
