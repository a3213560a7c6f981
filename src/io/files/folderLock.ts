/**
 * Only one process at a time works in a folder or on an image: a lock file names the process, and is stale after that process
 * ends. Node does not support system locks. A process that is not visible on this machine, such as one in another container,
 * shows that it is running by writing to the file.
 */

import {
  closeSync,
  fstatSync,
  linkSync,
  openSync,
  readFileSync,
  unlinkSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { readFile, stat, unlink } from 'node:fs/promises';
import { hostname } from 'node:os';
import { CliError } from '../../core/errors.ts';
import { errorCode, fileError } from './fileErrors.ts';
import { cannotLink } from './platform.ts';
import { processWithId, stateOf, thisProcess } from '../process.ts';
import { tempPathFor } from './tempFile.ts';

export interface FileLock {
  /** Whether the previous owner ended without releasing the lock. */
  readonly wasStale: boolean;
  release(): Promise<void>;
}

/** Milliseconds between two heartbeats, and the time after which a process without heartbeat counts as ended. */
const HEARTBEAT = 1000;
const STALE_AFTER = 15_000;
/** Paths of the locks of this process: other locks with its ID belong to an earlier process. */
const ownLocks = new Set<string>();

/**
 * @param path of the lock file; its folder exists
 * @param shown the folder as the user gave it
 * @throws CliError if another process has the lock
 */
export async function lockFolder(path: string, shown: string): Promise<FileLock> {
  const lock = await takeLock(path).catch((error: unknown) => {
    throw fileError(error, { path: shown, what: 'Folder', action: 'write' });
  });
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
export async function takeLock(path: string): Promise<FileLock | { readonly owner: string }> {
  const first = take(path);
  if (first.file !== undefined) return lockAt(path, first.file, false);
  const text = await readFile(path, 'utf8').catch(() => '');
  if (await isStale(path, text, first.now)) {
    const file = await takeOver(path, text);
    if (file !== undefined) return lockAt(path, file, true);
  }
  const [pid = '', machine = ''] = text.split(' ');
  return { owner: `${pid} on ${machine}` };
}

/**
 * Takes a stale lock; undefined if another process is faster. Only one process at a time may replace the file, which has a
 * lock of its own: otherwise, a process that was slow to see the stale lock would remove the new one.
 */
async function takeOver(path: string, stale: string): Promise<number | undefined> {
  const turn = await takeLock(`${path}.takeover`);
  if ('owner' in turn) return undefined;
  try {
    const text = await readFile(path, 'utf8').catch(() => undefined);
    if (text !== undefined && text !== stale) return undefined;
    if (text !== undefined) await unlink(path);
    return take(path).file;
  } finally {
    await turn.release();
  }
}

function lockAt(path: string, file: number, wasStale: boolean): FileLock {
  const timer = setInterval(() => showLife(file), HEARTBEAT).unref();
  return {
    wasStale,
    release: async () => {
      clearInterval(timer);
      closeSync(file);
      ownLocks.delete(path);
      try {
        if (readFileSync(path, 'utf8').trimEnd() === ownText()) unlinkSync(path);
      } catch {
        // The file is gone, or can no longer be removed: the next process finds it stale.
      }
    },
  };
}

function showLife(file: number): void {
  try {
    writeSync(file, ' ');
  } catch {
    // If the disk is full or the server is gone, other processes cannot read the lock either.
  }
}

/** The first two words are for messages. */
function ownText(): string {
  return `${process.pid} ${hostname()} ${thisProcess()}`;
}

interface Attempt {
  /** Descriptor for writing; undefined if the lock is taken. */
  readonly file?: number;
  /** Milliseconds by the clock of the file system. */
  readonly now: number;
}

/** The file gets its name after its content is written, so the lock file is always complete. */
function take(path: string): Attempt {
  const own = tempPathFor(path);
  const file = openSync(own, 'wx', 0o600);
  try {
    writeSync(file, ownText());
    const { mtimeMs: now } = fstatSync(file);
    if (!nameFirst(own, path)) {
      closeSync(file);
      return { now };
    }
    ownLocks.add(path);
    return { now, file };
  } catch (error) {
    closeSync(file);
    throw error;
  } finally {
    unlinkSync(own);
  }
}

/** File systems without links, such as FAT, can end with an empty file here, and show no signs of life. */
function nameFirst(own: string, path: string): boolean {
  try {
    linkSync(own, path);
    return true;
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false;
    if (!cannotLink(errorCode(error))) throw error;
  }
  try {
    writeFileSync(path, ownText(), { mode: 0o600, flag: 'wx' });
    return true;
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false;
    throw error;
  }
}

async function isStale(path: string, text: string, now: number): Promise<boolean> {
  const [pid = '', machine, named] = text.trimEnd().split(' ');
  const owner = named ?? (machine === hostname() ? processWithId(pid) : '');
  if (pid === String(process.pid) && stateOf(owner) === 'running') return !ownLocks.has(path);
  const state = stateOf(owner);
  if (state !== 'elsewhere') return state === 'ended';
  const stats = await stat(path).catch(() => undefined);
  return stats === undefined || now - stats.mtimeMs > STALE_AFTER;
}
