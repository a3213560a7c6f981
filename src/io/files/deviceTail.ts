/** A device cannot become longer: what an edit in place has behind its end is in a file beside it. */

import { basename, dirname, join } from 'node:path';

/** @param device its real path */
export function tailOf(device: string): string {
  return join(dirname(device), `.${basename(device)}.rollback`);
}
