/** One edit of an image at a time, and an edit that was interrupted is undone before the next one begins. */

import { realpath, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { CliError } from '../../core/errors.ts';
import { rollBack } from '../../image/rollback.ts';
import { errorCode } from '../files/fileErrors.ts';
import { type FileLock, takeLock } from '../files/folderLock.ts';
import type { Io } from '../io.ts';
import { withImageName } from './imageFile.ts';
import { forget, removeAbandoned, removeWhenInterrupted } from '../files/tempFile.ts';
import { openWritableImage } from './writableImage.ts';

/** Milliseconds for which an edit waits for another one, and between two attempts. */
const WAIT = 20_000;
const ATTEMPT_EVERY = 50;

/** What the system answers where no file may be made beside the image: it is edited without a lock then. */
const NO_LOCK = new Set(['EACCES', 'EPERM', 'EROFS']);

/**
 * Runs `edit` while no other edit of the image runs.
 * @param path as the user gave it; errors about what it names are left to `edit`
 * @throws CliError where another process has been editing the image for too long
 */
export async function editAlone(
  path: string,
  io: Pick<Io, 'cwd' | 'stderr'>,
  edit: () => Promise<void>,
): Promise<void> {
  const place = await realpath(resolve(io.cwd, path)).catch(() => undefined);
  const stats = place === undefined ? undefined : await stat(place).catch(() => undefined);
  const isImage = stats?.isFile() === true || stats?.isBlockDevice() === true;
  if (place === undefined || !isImage) return edit();
  await removeAbandoned(dirname(place));
  const lockPath = join(dirname(place), `.${basename(place)}.lock`);
  const lock = await waitForLock(lockPath, path);
  if (lock !== undefined) removeWhenInterrupted(lockPath);
  try {
    await undoInterrupted(path, io);
    await edit();
  } finally {
    await lock?.release();
    forget(lockPath);
  }
}

async function waitForLock(lockPath: string, shown: string): Promise<FileLock | undefined> {
  for (const end = performance.now() + WAIT; ; await sleep(ATTEMPT_EVERY)) {
    const lock = await takeLock(lockPath).catch((error: unknown) => {
      if (!NO_LOCK.has(errorCode(error) ?? '')) throw error;
    });
    if (lock === undefined || !('holder' in lock)) return lock ?? undefined;
    if (performance.now() < end) continue;
    throw new CliError(`Another process is editing ${shown}: process ${lock.holder}`, {
      hint: `try again when it has ended; if there is no such process, remove ${lockPath}`,
    });
  }
}

/** Whether the image can be written at all, `edit` finds out by itself. */
async function undoInterrupted(path: string, io: Pick<Io, 'cwd' | 'stderr'>): Promise<void> {
  const image = await openWritableImage(path, io).catch(() => undefined);
  if (image === undefined) return;
  try {
    const isUndone = await withImageName(path, () => rollBack(image));
    if (isUndone) io.stderr.write(`${path}: an edit that was interrupted is undone\n`);
  } finally {
    await image.close();
  }
}
