/**
 * Renames over another file. Windows refuses that for as long as a program has the other one open, which scanners for
 * viruses and search indexes do for a moment with each new file; so there it is tried again for a second.
 */

import { renameSync } from 'node:fs';
import { rename } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { errorCode } from './fileErrors.ts';

/** What a rename is done with; tests give their own. */
export interface Renaming {
  readonly platform: NodeJS.Platform;
  readonly rename: (from: string, to: string) => Promise<void>;
}

/** @throws system errors */
export async function renameFile(
  from: string,
  to: string,
  renaming: Renaming = { platform: process.platform, rename },
): Promise<void> {
  for (const wait of WAITS) {
    try {
      return await renaming.rename(from, to);
    } catch (error) {
      if (!mayPass(error, renaming.platform)) throw error;
      await sleep(wait);
    }
  }
  await renaming.rename(from, to);
}

/** What a rename is done with that nothing else may come in between; tests give their own. */
export interface RenamingNow {
  readonly platform: NodeJS.Platform;
  readonly rename: (from: string, to: string) => void;
}

/** The same, and nothing else of this program runs meanwhile. */
export function renameFileNow(
  from: string,
  to: string,
  renaming: RenamingNow = { platform: process.platform, rename: renameSync },
): void {
  for (const wait of WAITS) {
    try {
      return renaming.rename(from, to);
    } catch (error) {
      if (!mayPass(error, renaming.platform)) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, wait);
    }
  }
  renaming.rename(from, to);
}

/** Milliseconds; about a second in all. */
const WAITS = [1, 2, 5, 10, 20, 50, 100, 200, 300, 300];

/** What Windows says of a file that is open, and also of one that may not be replaced at all. */
function mayPass(error: unknown, platform: NodeJS.Platform): boolean {
  return platform === 'win32' && ['EPERM', 'EACCES', 'EBUSY'].includes(errorCode(error) ?? '');
}
