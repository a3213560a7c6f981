/** One program at a time in a folder: a file that names the process, and is stale when that has ended. */

import { randomBytes } from 'node:crypto';
import { link, readFile, rename, unlink, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { CliError } from '../errors.ts';
import { errorCode } from './fileErrors.ts';
import { cannotLink } from './platformFiles.ts';

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
  const text = await readFile(path, 'utf8').catch(() => '');
  const [owner = '', machine = ''] = text.split(' ');
  if (isEnded(owner, machine) && (await takeAway(path, text)) && (await take(path)))
    return { wasStale: true, release };
  throw new CliError(`Another process is preparing ${shown}: ${owner} on ${machine}`, {
    hint: `wait for it, or if there is none remove ${path}`,
  });
}

/** The file gets its name when it says whose it is: whenever this process ends, there is none, or a whole one. */
async function take(path: string): Promise<boolean> {
  const own = nameBeside(path);
  try {
    await writeFile(own, `${process.pid} ${hostname()}`, { mode: 0o600, flag: 'wx' });
    await nameFirst(own, path);
    return true;
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false;
    throw error;
  } finally {
    await unlink(own).catch(() => undefined);
  }
}

/** File systems without links, such as FAT, can end with an empty file here. */
async function nameFirst(own: string, path: string): Promise<void> {
  try {
    await link(own, path);
  } catch (error) {
    if (!cannotLink(errorCode(error))) throw error;
    await writeFile(path, await readFile(own), { mode: 0o600, flag: 'wx' });
  }
}

/** False where it was another one's by then, which gets it back. */
async function takeAway(path: string, expected: string): Promise<boolean> {
  const old = nameBeside(path);
  try {
    await rename(path, old);
    if ((await readFile(old, 'utf8')) === expected) return true;
    await link(old, path);
    return false;
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return true;
    throw error;
  } finally {
    await unlink(old).catch(() => undefined);
  }
}

/** Temporary files of this form are removed by the next one that finds a lock to be stale. */
function nameBeside(path: string): string {
  return path.replace(/[^/\\]*$/, (name) => `.${name}.${randomBytes(6).toString('hex')}.tmp`);
}

function isEnded(owner: string, machine: string): boolean {
  return machine === hostname() && !isAlive(Number(owner));
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
