/**
 * Only one process at a time works in a folder or on an image. The lock is a folder with one empty file, whose name is the owner.
 * It gets its path with the file in it, by a rename that fails if there is a lock. A stale lock is taken over by renaming the
 * file, which only one process can do. A lock is stale if its owner has ended, also by SIGKILL; an owner that is not visible on
 * this machine, such as one in another container, shows that it is running by touching the file.
 *
 * proper-lockfile knows only the last way: behind a killed process it waits for 5 seconds at least, and of two processes that find
 * a stale lock, one may remove the new lock of the other.
 */

import {
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmdirSync,
  statSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { CliError } from '../../core/errors.ts';
import { stateOf, thisProcess } from '../process.ts';
import { errorCode, fileError } from './fileErrors.ts';
import { removeTemp, tempPathFor } from './tempFile.ts';

export interface FolderLock {
  /** Whether the previous owner ended without releasing the lock. */
  readonly wasStale: boolean;
  readonly release: () => void;
}

/** Milliseconds between two heartbeats, and the time after which a process without heartbeat counts as ended. */
const HEARTBEAT = 1000;
const STALE_AFTER = 15_000;
/** Paths of the locks of this process: other locks with its ID belong to an earlier process. */
const ownLocks = new Set<string>();

/**
 * @param path of the lock; its parent exists
 * @param shown the folder as the user gave it
 * @throws CliError if another process has the lock
 */
export function lockFolder(path: string, shown: string): FolderLock {
  let lock: ReturnType<typeof takeLock>;
  try {
    lock = takeLock(path);
  } catch (error) {
    throw fileError(error, { path: shown, what: 'Folder', action: 'write' });
  }
  if (!('owner' in lock)) return lock;
  throw new CliError(`Another process is preparing ${shown}: process ${lock.owner}`, {
    code: 'ERR_BUSY',
    hint: `wait until it ends, or remove ${path} if it is not running`,
  });
}

/**
 * Takes the lock, also from an ended process, or returns its owner, for example `4711 on host.example.com`.
 * @throws system errors
 */
export function takeLock(path: string): FolderLock | { readonly owner: string } {
  const own = `${thisProcess()}-${hostname()}`;
  const temp = tempPathFor(path);
  mkdirSync(temp);
  try {
    writeFileSync(join(temp, own), '', { flag: 'wx', mode: 0o600 });
    const now = statSync(join(temp, own)).mtimeMs; // by the clock of the file system
    if (isRenamed(temp, path)) return holdLock(path, own, false);
    const owner = unlessFailed(['ENOENT'], () => readdirSync(path)[0]);
    if (owner === undefined) {
      // Its owner is releasing it.
      unlessFailed(['ENOENT', 'ENOTEMPTY', 'EEXIST'], () => rmdirSync(path));
      return takeLock(path);
    }
    if (isStale(path, owner, now) && isRenamed(join(path, owner), join(path, own)))
      return holdLock(path, own, true);
    const [, pid, host] = OWNER.exec(owner) ?? [];
    return { owner: `${pid} on ${host}` };
  } catch (error) {
    // `prepare` removes what killed processes left at temporary paths, and may take this one for such.
    if (errorCode(error) !== 'ENOENT' || existsSync(temp)) throw error;
    return takeLock(path);
  } finally {
    removeTemp(temp);
  }
}

const OWNER = /^(\d+)-[^-]+-(.+)$/;

function holdLock(path: string, own: string, wasStale: boolean): FolderLock {
  const file = join(path, own);
  const showLife = (): void => {
    try {
      const now = new Date();
      utimesSync(file, now, now);
    } catch {
      // If the disk is full or the server is gone, other processes cannot read the lock either.
    }
  };
  showLife();
  const heartbeat = setInterval(showLife, HEARTBEAT).unref();
  ownLocks.add(path);
  return {
    wasStale,
    release: () => {
      clearInterval(heartbeat);
      ownLocks.delete(path);
      try {
        unlinkSync(file);
        rmdirSync(path);
      } catch {
        // The lock is gone, or can no longer be removed: the next process finds it stale.
      }
    },
  };
}

/** False if another process is first: then the new name is in use, or the old one is gone. */
function isRenamed(from: string, to: string): boolean {
  try {
    renameSync(from, to);
    return true;
  } catch (error) {
    const code = errorCode(error) ?? '';
    if (['EEXIST', 'ENOTEMPTY', 'ENOENT'].includes(code)) return false;
    // Windows, and folders in which users cannot rename the files of others
    if (['EPERM', 'EACCES'].includes(code) && existsSync(to)) return false;
    throw error;
  }
}

/** Undefined after an error with one of these codes. */
function unlessFailed<T>(codes: readonly string[], action: () => T): T | undefined {
  try {
    return action();
  } catch (error) {
    if (codes.includes(errorCode(error) ?? '')) return undefined;
    throw error;
  }
}

function isStale(path: string, owner: string, now: number): boolean {
  const state = stateOf(owner);
  if (state === 'this process') return !ownLocks.has(path);
  if (state !== 'elsewhere') return state === 'ended';
  const stats = statSync(join(path, owner), { throwIfNoEntry: false });
  return stats !== undefined && now - stats.mtimeMs > STALE_AFTER;
}
