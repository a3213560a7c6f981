/**
 * Writes new files atomically: under a temporary name in the same folder, then renamed. Only this user can open a file before it
 * has its final permissions, which it gets when it is complete: a file that another user has open stays readable for that user.
 * Small files are synced to disk before the rename, so they are complete even after a power failure. Large images are not synced,
 * because the sync takes longer than the copy; they are complete even if the program is killed.
 */

import { constants } from 'node:fs';
import {
  type FileHandle,
  link,
  lstat,
  mkdir,
  open,
  readlink,
  realpath,
  rm,
  stat,
  writeFile,
} from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { emptyPathError, errorCode, existsError, fileError, systemError } from './fileErrors.ts';
import { allowsMore, cannotLink } from './platform.ts';
import { CliError } from '../../core/errors.ts';
import { statsOf, statsOfSame } from './fileStates.ts';
import type { ReadFiles } from './readFiles.ts';
import type { Io } from '../io.ts';
import { renameFile, withTempPath } from './tempFile.ts';

/** The content; chunks are written in order. */
export type Content = string | Uint8Array | Iterable<Uint8Array> | AsyncIterable<Uint8Array>;

export type NewFileOptions = Partial<Pick<NewFile, 'mode' | 'shownPath' | 'inputs'>>;

/**
 * Writes a file that appears complete or not at all. A symbolic link is followed, so that it stays one; a device or a
 * pipe, which cannot be replaced, is written to directly.
 * @param path absolute, or relative to the process
 */
export async function writeFileAtomically(
  path: string,
  content: Content,
  { mode, shownPath = path, inputs }: NewFileOptions = {},
): Promise<void> {
  const special = await openSpecial(path, shownPath);
  if (special === undefined) {
    // Of a stream, the size is not known before.
    const size =
      typeof content === 'string' || content instanceof Uint8Array ? Buffer.byteLength(content) : undefined;
    const file = { path: resolve(path), shownPath, existing: 'replace', mode, inputs, size } as const;
    await createFile(file, ({ handle }) => writeFile(handle, content));
    return;
  }
  try {
    await writeFile(special, content);
  } catch (error) {
    throw fileError(error, { path: shownPath, what: 'Output', action: 'write' });
  } finally {
    await special.close();
  }
}

/**
 * The same for the file that the user passed as the output: it must not be a file that the command has read.
 * @param output relative to `io.cwd`
 */
export async function writeOutput(
  output: string,
  content: Content,
  { cwd, inputs }: Pick<Io, 'cwd' | 'inputs'>,
  mode?: number,
): Promise<void> {
  await writeFileAtomically(resolve(cwd, output), content, { shownPath: output, mode, inputs });
}

/**
 * The same as {@link writeFileAtomically}, unless the file already has this content; then its timestamps stay unchanged. A file with more permissions than
 * `mode` is written again. Returns whether the file was written.
 */
export async function writeIfChanged(
  path: string,
  content: Uint8Array,
  options: NewFileOptions = {},
): Promise<boolean> {
  const same = statsOfSame(await realpath(path).catch(() => path), content);
  if (same !== undefined && !allowsMore(same, options.mode ?? 0o777)) return false;
  await writeFileAtomically(path, content, options);
  return true;
}

/** Opens a special file, such as a device or a pipe, for writing; undefined for files, folders and new paths. */
async function openSpecial(path: string, shownPath: string): Promise<FileHandle | undefined> {
  const stats = await statsOf(path);
  if (stats === undefined || stats.isFile() || stats.isDirectory()) return undefined;
  return open(path, constants.O_WRONLY).catch((error: unknown) => {
    throw fileError(error, { path: shownPath, what: 'Output', action: 'write' });
  });
}

export interface NewFile {
  /** Absolute. */
  readonly path: string;
  /** The path as the user gave it, for messages. */
  readonly shownPath: string;
  readonly existing: 'refuse' | 'replace';
  /** The option that replaces it, for commands that have one; e.g. `--overwrite`. */
  readonly replacedBy?: string;
  /** Permission bits; without, those of the file that is replaced, or what the umask gives. */
  readonly mode?: number | undefined;
  /** Bytes of the complete file, if they are known before; for the message about a full disk. */
  readonly size?: number | undefined;
  /** The files that were read to create it, which it must not replace; without, it may replace every file. */
  readonly inputs?: ReadFiles | undefined;
}

/** A temporary file that becomes the new file, open for reading and writing. */
interface TempFile {
  readonly path: string;
  readonly handle: FileHandle;
}

/** Makes the temporary file at a path at which nothing is, or in a folder there. Other users must not be able to open it. */
export type MakeFile = (path: string) => Promise<TempFile>;

/** Writes the content of a new file. */
export type Fill = (temp: TempFile) => Promise<void>;

/** Permission bits of each file until it is complete. */
const PRIVATE = 0o600;

/**
 * Creates a folder and its missing parents. An existing folder stays as it is.
 * @param path absolute
 * @param shownPath the path as the user gave it, for messages
 * @param mode of all new folders
 */
export async function makeFolder(path: string, shownPath: string, mode?: number): Promise<void> {
  await mkdir(path, { recursive: true, mode }).catch((error: unknown) => {
    throw creationError(error, { path, shownPath });
  });
}

/** Maximum size of files that are synced to disk. */
const MAX_SYNCED = 64 * 1024 * 1024;

/**
 * Passes `fill` a temporary file, empty unless `make` creates another one, and then renames it to the new name. If the name is
 * a symbolic link, its target is replaced, so the link stays.
 * @throws CliError; what was there is then as it was
 */
export async function createFile(
  file: NewFile,
  fill: Fill,
  make: MakeFile = async (path) => ({ path, handle: await makePrivate(path) }),
): Promise<void> {
  const isReplaced = file.existing === 'replace';
  let target = file.path;
  try {
    checkPath(file);
    if (isReplaced) target = await followLinks(file.path);
    await withTempPath(target, async (tempPath) => {
      const temp = await make(tempPath);
      try {
        await fill(temp);
        // All inputs are read now. One that is the output would be lost.
        if (isReplaced && file.inputs?.has(target) === true) {
          throw new CliError(`${file.shownPath} is an input of this command; it was not replaced`, {
            code: 'ERR_FILE_EXISTS',
            hint: 'use another file for the output',
          });
        }
        const replaced = isReplaced ? await statsOf(target) : undefined;
        const mode = file.mode ?? (replaced && replaced.mode & 0o7777);
        await temp.handle.chmod(mode ?? usualMode());
        if ((await temp.handle.stat()).size <= MAX_SYNCED) await temp.handle.sync();
        if (isReplaced) renameFile(temp.path, target);
        else await renameToFree(temp.path, target);
      } finally {
        await temp.handle.close();
      }
    });
  } catch (error) {
    // What a link leads to is where the problem is.
    throw creationError(error, target === file.path ? file : { ...file, path: target, shownPath: target });
  }
}

/**
 * Replaces a file by an empty one that only this user can open, for output that is read while it is written, such as a log. A
 * device or a pipe is opened as it is.
 * @param path absolute
 * @throws CliError or system errors
 */
export async function openPrivate(path: string): Promise<FileHandle> {
  const special = await openSpecial(path, path);
  if (special !== undefined) return special;
  const target = await followLinks(path);
  await rm(target, { force: true });
  return makePrivate(target);
}

export function makePrivate(path: string): Promise<FileHandle> {
  return open(path, 'wx+', PRIVATE);
}

export function usualMode(): number {
  return 0o666 & ~process.umask();
}

/**
 * Reports problems with a new file early, before any work. Another process may still create the file in the meantime; that is
 * checked when the file gets its name.
 * @throws CliError `File exists: …`, or that there is no such folder
 */
export async function checkNewFile(file: NewFile): Promise<void> {
  try {
    checkPath(file);
    if (file.existing === 'refuse' && (await lstat(file.path).catch(() => undefined)) !== undefined) {
      throw systemError('EEXIST');
    }
    const stats = await statsOf(file.path);
    if (stats?.isDirectory() === true) throw systemError('EISDIR');
    // The rename would replace a device with a file.
    if (stats?.isFile() === false) {
      throw new CliError(`File exists: ${file.shownPath} is not a regular file`, {
        code: 'ERR_FILE_EXISTS',
        hint: 'pass "-o -" and redirect standard output to it',
      });
    }
    if (!(await stat(dirname(file.path))).isDirectory()) throw systemError('ENOTDIR');
  } catch (error) {
    throw creationError(error, file);
  }
}

function checkPath({ shownPath }: NewFile): void {
  if (shownPath === '') throw emptyPathError('The output path is empty');
  // Resolving the path removes the slash.
  if (shownPath.endsWith('/')) throw systemError('EISDIR');
}

function creationError(
  error: unknown,
  { path, replacedBy, shownPath, size }: Pick<NewFile, 'path' | 'replacedBy' | 'shownPath' | 'size'>,
): unknown {
  if (errorCode(error) !== 'EEXIST' || replacedBy === undefined) {
    return fileError(error, { path: shownPath, what: 'Output', action: 'create', place: path, size });
  }
  return existsError(shownPath, `replace it with ${replacedBy}`, error);
}

/** The target of a chain of symbolic links; it may not exist. */
async function followLinks(path: string): Promise<string> {
  const stats = await lstat(path).catch(() => undefined);
  if (stats?.isDirectory() === true) throw systemError('EISDIR');
  if (stats?.isSymbolicLink() !== true) return path;
  return realpath(path).catch(async (error: unknown) => {
    if (errorCode(error) !== 'ENOENT') throw error;
    return followLinks(resolve(dirname(path), await readlink(path)));
  });
}

/**
 * Renames a temporary file to a name that is not in use. A rename would replace; a link does not. File systems without links
 * reserve the name first.
 * @throws system errors; EEXIST if the name is in use
 */
async function renameToFree(from: string, to: string): Promise<void> {
  try {
    await link(from, to); // the temporary name is removed with the temporary file
  } catch (error) {
    if (!cannotLink(errorCode(error))) throw error;
    await (await makePrivate(to)).close();
    renameFile(from, to);
  }
}
