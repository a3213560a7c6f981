/** Gives a file a second name without copying its bytes, if the file system supports it. */

import { constants } from 'node:fs';
import { chmod, copyFile, link, mkdir, open, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { errorCode, fileError } from './fileErrors.ts';
import { statsOf } from './fileStates.ts';
import { createFile, type MakeFile, type NewFile } from './newFile.ts';
import { cannotLink } from './platform.ts';
import { renameFile, withTempPath } from './tempFile.ts';

/** `cloned`: blocks are shared until one of the two is written to. `linked`: it is the same file. */
export type Shared = 'cloned' | 'linked' | 'copied' | 'unchanged';

/**
 * Gives `target` the bytes of `source`: by cloning, else by a hard link, else by copying. A link has the permissions of the
 * source, so no link is created if other users could read less, or more, than `target.mode` allows.
 * @param source absolute path of a regular file
 * @throws CliError; what was there is then as it was
 */
export async function shareFile(
  source: string,
  target: NewFile & { readonly mode: number },
): Promise<Shared> {
  if (await isSameFile(source, target.path)) return 'unchanged';
  const create = (flag: number, size?: number): Promise<void> =>
    createFile({ ...target, size }, async () => undefined, copyOf(source, flag));
  if (await isDone(() => create(constants.COPYFILE_FICLONE_FORCE))) return 'cloned';
  const { mode, size } = await stat(source);
  const isReadAlike = (mode & 0o444) === (target.mode & 0o444);
  if (isReadAlike && (await isDone(() => linkTo(source, target)))) return 'linked';
  await create(constants.COPYFILE_FICLONE, size);
  return 'copied';
}

export async function isSameFile(one: string, other: string): Promise<boolean> {
  const [first, second] = await Promise.all([one, other].map(statsOf));
  return first !== undefined && first.dev === second?.dev && first.ino === second.ino;
}

/** Error codes of file systems that cannot clone or link these files, or not for this user. */
const cannot: ReadonlySet<string> = new Set(['EXDEV', 'EINVAL', 'ENOTTY', 'EACCES', 'ENOENT']);

/** Whether an attempt succeeded; false if the file system or the permissions do not support it. */
export async function isDone(attempt: () => Promise<void>): Promise<boolean> {
  try {
    await attempt();
    return true;
  } catch (error) {
    const cause = error instanceof Error && errorCode(error) === undefined ? error.cause : error;
    const code = errorCode(cause) ?? '';
    if (cannot.has(code) || cannotLink(code)) return false;
    throw error;
  }
}

/**
 * Creates a file with the bytes of `source`. The copy has the mode of `source` at first, so it is in a folder that no other user
 * can enter.
 * @param flag `COPYFILE_FICLONE` shares blocks if the file system can, and copies otherwise; `COPYFILE_FICLONE_FORCE` never copies
 * @param observe gets the path of the growing file until the copy is complete
 */
export function copyOf(
  source: string,
  flag: number,
  observe = (_path: string, copying: Promise<void>): Promise<void> => copying,
): MakeFile {
  return async (folder) => {
    await mkdir(folder, { mode: 0o700 });
    const path = join(folder, 'copy');
    await observe(path, copyFile(source, path, flag | constants.COPYFILE_EXCL));
    await chmod(path, 0o600); // the mode of the source may forbid writing
    return { path, handle: await open(path, 'r+') };
  };
}

async function linkTo(source: string, { path, shownPath }: NewFile): Promise<void> {
  try {
    await withTempPath(path, async (temp) => {
      await link(source, temp);
      renameFile(temp, path);
    });
  } catch (error) {
    throw fileError(error, { path: shownPath, what: 'Output', action: 'create', place: path });
  }
}
