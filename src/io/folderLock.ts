/** One program at a time in a folder: a file that names the process, and is stale when that has ended. */

import { open, readFile, unlink } from 'node:fs/promises';
import { hostname } from 'node:os';
import { CliError } from '../errors.ts';
import { errorCode } from './fileErrors.ts';

export interface FolderLock {
  /** Whether the one before has ended without giving it back. */
  readonly wasStale: boolean;
  release(): Promise<void>;
}

/**
 * @param path of the file; its folder is there
 * @param shown the folder as the user gave it
 * @throws CliError where another process has it
 */
export async function lockFolder(path: string, shown: string): Promise<FolderLock> {
  const release = (): Promise<void> => unlink(path).catch(() => undefined);
  if (await take(path)) return { wasStale: false, release };
  const [owner = '', machine = ''] = (await readFile(path, 'utf8').catch(() => '')).split(' ');
  if (machine === hostname() && !isAlive(Number(owner))) {
    await release();
    if (await take(path)) return { wasStale: true, release };
  }
  throw new CliError(`Another process is preparing ${shown}: ${owner} on ${machine}`, {
    hint: `wait for it, or if there is none remove ${path}`,
  });
}

async function take(path: string): Promise<boolean> {
  try {
    const handle = await open(path, 'wx', 0o600);
    try {
      await handle.writeFile(`${process.pid} ${hostname()}`);
    } finally {
      await handle.close();
    }
    return true;
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false;
    throw error;
  }
}

/** Of this process itself, nobody waits for the end. */
function isAlive(pid: number): boolean {
  if (!Number.isSafeInteger(pid) || pid <= 0 || pid === process.pid) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return errorCode(error) === 'EPERM'; // it is another user's
  }
}
