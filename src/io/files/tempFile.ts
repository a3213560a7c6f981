/**
 * Temporary paths beside the file that they will become. What is there is removed when the program fails or a signal ends it; a
 * process that is killed leaves it behind.
 */

import { renameSync, rmSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { onInterrupt } from '../interrupts.ts';
import { errorCode } from './fileErrors.ts';

/**
 * Lends `use` a path in the folder of `target`, hidden, at which nothing is. Whatever is there afterwards, a file or a folder, is
 * removed: to keep it, `use` gives it another name.
 */
export async function withTempPath<T>(target: string, use: (path: string) => Promise<T>): Promise<T> {
  return lend(tempPathFor(target), use);
}

/** Lends `use` a folder that only this user can enter, among the temporary files of the system. It is removed afterwards. */
export async function withTempFolder<T>(use: (folder: string) => Promise<T>): Promise<T> {
  return lend(await mkdtemp(join(tmpdir(), 'ironic-coreos.')), use);
}

async function lend<T>(path: string, use: (path: string) => Promise<T>): Promise<T> {
  const forget = onInterrupt(() => removeTemp(path));
  try {
    return await use(path);
  } finally {
    removeTemp(path);
    forget();
  }
}

/** What cannot be removed stays: the error that led here says more. */
export function removeTemp(path: string): void {
  try {
    rmSync(path, { recursive: true, force: true });
  } catch {
    return;
  }
}

/** `.NAME.RANDOM.tmp`. The random digits need not be hard to guess: an existing file is never opened. */
export function tempPathFor(target: string): string {
  const random = Math.floor(Math.random() * 2 ** 48);
  const digits = random.toString(16).padStart(12, '0');
  return join(dirname(target), `.${shortName(target)}.${digits}.tmp`);
}

/** The name of the target of a temporary file; undefined for any other name. */
export function targetOfTemp(name: string): string | undefined {
  const target = /^\.(.+)\.[0-9a-f]{12}\.tmp$/s.exec(name)?.[1];
  // A temporary file is written to a temporary file itself.
  return target === undefined ? undefined : (targetOfTemp(target) ?? target);
}

/** Leaves room for what is added: names of more than 255 bytes are refused. */
function shortName(target: string): string {
  return Buffer.from(basename(target))
    .subarray(0, 200)
    .toString('utf8')
    .replace(/\ufffd$/, '');
}

/** Milliseconds; about a second in all. */
const WAITS = [1, 2, 5, 10, 20, 50, 100, 200, 300, 300];

/**
 * Renames over another file. Windows refuses that for as long as a program has the other one open, which scanners for
 * viruses and search indexes do for a moment with each new file; so there it is tried again for a second.
 * @param renaming tests give their own
 * @throws system errors
 */
export function renameFile(
  from: string,
  to: string,
  renaming = { platform: process.platform, rename: renameSync },
): void {
  for (const wait of WAITS) {
    try {
      return renaming.rename(from, to);
    } catch (error) {
      // What Windows says of a file that is open, and also of one that may not be replaced at all.
      const mayPass = ['EPERM', 'EACCES', 'EBUSY'].includes(errorCode(error) ?? '');
      if (renaming.platform !== 'win32' || !mayPass) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, wait);
    }
  }
  renaming.rename(from, to);
}
