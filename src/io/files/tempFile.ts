/**
 * Temporary files beside the file that they will become, removed when the program fails or is interrupted. Their names say
 * which process has made them: those of processes that were killed are removed by the next one that writes to the folder.
 */

import { constants, renameSync, rmdirSync, unlinkSync } from 'node:fs';
import { type FileHandle, lstat, mkdir, mkdtemp, open, readdir, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { offSignal, onSignal, stateOf, thisProcess } from '../process.ts';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { errorCode, systemError } from './fileErrors.ts';

export interface TempFile {
  readonly path: string;
  /** Open for reading and writing. */
  readonly handle: FileHandle;
}

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
/** Paths to remove when a signal ends the program. */
const remaining = new Set<string>();

/** `.NAME.OWNER.RANDOM.tmp`, where the owner is the process. */
const ABANDONED = /^\..+\.([0-9]+-[0-9]+-[0-9a-f]{8})\.[0-9a-f]{12}\.tmp$/s;
/** Milliseconds after which a file counts as abandoned, if its process is not visible on this machine. */
const ABANDONED_AFTER = 24 * 60 * 60 * 1000;
/** Folders that have been looked through. */
const swept = new Map<string, Promise<void>>();

/** Makes a file that does not exist yet, and opens it for reading and writing. */
export type MakeFile = (path: string) => Promise<FileHandle>;

/**
 * Lends `use` a file that `make` makes in the folder of `target`, hidden, with a random name. Whatever is still there
 * under that name afterwards is removed: to keep the file, `use` gives it another name.
 */
export async function withTempFile(
  target: string,
  make: MakeFile,
  use: (temp: TempFile) => Promise<void>,
): Promise<void> {
  await removeAbandoned(dirname(target));
  const path = tempPathFor(target);
  removeWhenInterrupted(path);
  let handle: FileHandle | undefined;
  try {
    handle = await make(path);
    await use({ path, handle });
  } finally {
    await handle?.close();
    removeTempFile(path);
    forget(path);
  }
}

/**
 * Lends `use` a path at which the system may create a file with any mode: it is in a new folder beside `target` that only this
 * user can enter. What is still there afterwards is removed.
 * @throws system errors; EACCES if another user has exchanged the folder
 */
export async function withPrivatePath<T>(target: string, use: (path: string) => Promise<T>): Promise<T> {
  const folder = tempPathFor(target);
  removeWhenInterrupted(folder);
  let handle: FileHandle | undefined;
  try {
    await mkdir(folder, { mode: 0o700 });
    handle = await open(folder, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW);
    const { uid } = await handle.stat();
    if (uid !== (process.geteuid?.() ?? uid)) throw systemError('EACCES');
    // On Linux, this path leads to the open folder, even if another user renames it meanwhile.
    const root = process.platform === 'linux' ? `/proc/self/fd/${handle.fd}` : folder;
    return await use(join(root, basename(folder)));
  } finally {
    await handle?.close();
    removeTempFile(folder);
    forget(folder);
  }
}

/** Removes a temporary file, or the folder of {@link withPrivatePath} with its only file. What cannot be removed stays. */
export function removeTempFile(path: string): void {
  if (isRemoved(() => unlinkSync(path))) return;
  isRemoved(() => unlinkSync(join(path, basename(path))));
  isRemoved(() => rmdirSync(path));
}

function isRemoved(remove: () => void): boolean {
  try {
    remove();
    return true;
  } catch {
    return false; // it was renamed, or the error that led here says more
  }
}

/** A path for a temporary file, hidden, in the folder of `target`; for those of `withTempFile`, and of locks. */
export function tempPathFor(target: string): string {
  return join(dirname(target), `.${shortName(target)}.${thisProcess()}.${randomName()}.tmp`);
}

/**
 * Removes temporary files from a folder that no process is writing any more. Each folder is looked through once; what cannot
 * be removed stays.
 */
export function removeAbandoned(folder: string): Promise<void> {
  const known = swept.get(folder);
  if (known !== undefined) return known;
  const sweeping = sweep(folder);
  swept.set(folder, sweeping);
  return sweeping;
}

async function sweep(folder: string): Promise<void> {
  for (const name of await readdir(folder).catch(() => [])) {
    const owner = ABANDONED.exec(name)?.[1];
    if (owner === undefined) continue;
    const path = join(folder, name);
    if (await isAbandoned(path, owner)) removeTempFile(path);
  }
}

async function isAbandoned(path: string, owner: string): Promise<boolean> {
  const state = stateOf(owner);
  if (state !== 'elsewhere') return state === 'ended';
  const stats = await lstat(path).catch(() => undefined);
  return stats !== undefined && Date.now() - stats.mtimeMs > ABANDONED_AFTER;
}

/** Twelve hexadecimal digits. They need not be hard to guess: an existing file is never opened. */
function randomName(): string {
  return Math.floor(Math.random() * 2 ** 48)
    .toString(16)
    .padStart(12, '0');
}

/** Leaves room for what is added: names of more than 255 bytes are refused. */
function shortName(target: string): string {
  return Buffer.from(basename(target))
    .subarray(0, 200)
    .toString('utf8')
    .replace(/\ufffd$/, '');
}

/** Until `forget`, the file is removed when a signal ends the program. */
export function removeWhenInterrupted(path: string): void {
  if (remaining.size === 0) for (const signal of SIGNALS) onSignal(signal, removeAndEnd);
  remaining.add(path);
}

export function forget(path: string): void {
  remaining.delete(path);
  if (remaining.size === 0) for (const signal of SIGNALS) offSignal(signal, removeAndEnd);
}

/** Whether signals have to wait. */
let isProtected = false;

/**
 * Completes `work` before a signal ends the program. If the work fails, its error ends the program.
 * @param say gets the signal before the program ends
 */
export async function completeBeforeEnd(
  work: () => Promise<void>,
  say: (signal: NodeJS.Signals) => void,
): Promise<void> {
  let received: NodeJS.Signals | undefined;
  const keep = (signal: NodeJS.Signals): void => void (received ??= signal);
  isProtected = true;
  for (const signal of SIGNALS) onSignal(signal, keep);
  try {
    await work();
    await nextTurn(); // a signal that came during synchronous writes
  } finally {
    isProtected = false;
    for (const signal of SIGNALS) offSignal(signal, keep);
  }
  if (received === undefined) return;
  say(received);
  removeAndEnd(received);
}

function removeAndEnd(signal: NodeJS.Signals): void {
  if (isProtected) return;
  for (const path of remaining) {
    removeTempFile(path);
    forget(path);
  }
  // No listener remains, so this ends the program as the signal would. Windows supports only the end of a process.
  process.kill(process.pid, process.platform === 'win32' ? 'SIGTERM' : signal);
}

/**
 * Folders for what other programs or other parts of this one read from files, in the folder for temporary files. Their names
 * say which process has made them: those of processes that were killed are removed by the next one that makes one.
 */

const PREFIX = 'ironic-coreos.';
const MADE = /^ironic-coreos\.(\d+-\d+-[0-9a-f]{8})\.[^.]{6}$/;

/**
 * Creates a folder that only its owner can enter; the caller removes it.
 * @throws system errors
 */
export async function makeTempFolder(): Promise<string> {
  for (const name of await readdir(tmpdir()).catch(() => [])) {
    const owner = MADE.exec(name)?.[1];
    if (owner !== undefined && stateOf(owner) === 'ended') await removeOwn(join(tmpdir(), name));
  }
  return mkdtemp(join(tmpdir(), `${PREFIX}${thisProcess()}.`));
}

/** All users can write to the folder for temporary files: files of other users stay unchanged. */
async function removeOwn(path: string): Promise<void> {
  const stats = await lstat(path).catch(() => undefined);
  if (stats?.isDirectory() !== true || stats.uid !== (process.getuid?.() ?? stats.uid)) return;
  await rm(path, { recursive: true, force: true }).catch(() => undefined);
}

/**
 * Renames over another file. Windows refuses that for as long as a program has the other one open, which scanners for
 * viruses and search indexes do for a moment with each new file; so there it is tried again for a second.
 * @param renaming tests give their own
 * @throws system errors
 */
export async function renameFile(
  from: string,
  to: string,
  renaming = { platform: process.platform, rename },
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

/** The same, and nothing else of this program runs meanwhile. */
export function renameFileNow(
  from: string,
  to: string,
  renaming = { platform: process.platform, rename: renameSync },
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
