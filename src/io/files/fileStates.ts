/** The state of files and the names in folders: of those that may be missing, and of those that the user named. */

import { lstatSync, readFileSync, type Stats } from 'node:fs';
import { lstat, readdir, realpath, stat } from 'node:fs/promises';
import { join, relative, resolve, sep } from 'node:path';
import type { Io } from '../io.ts';
import { fileError } from './fileErrors.ts';

/** The names in a folder; empty if it cannot be read. */
export async function namesIn(folder: string): Promise<string[]> {
  return readdir(folder).catch(() => []);
}

/** The state of a file, or of the one that a link leads to; undefined if it cannot be read. */
export async function statsOf(path: string): Promise<Stats | undefined> {
  return stat(path).catch(() => undefined);
}

/** Identifies this version of a file. The writer of a file can reset its modification time, but not ctime. @throws system errors */
export async function stampOf(path: string): Promise<string> {
  const { ctimeNs, dev, ino, mtimeNs, size } = await stat(path, { bigint: true });
  return [dev, ino, size, mtimeNs, ctimeNs].join(':');
}

/**
 * The state of a small regular file if it has this content, else undefined. Synchronous: a folder may have tens of thousands of
 * such files, and to wait for each takes longer than all else.
 */
export function statsOfSame(path: string, content: Uint8Array): Stats | undefined {
  try {
    const stats = lstatSync(path);
    const isSame = stats.isFile() && stats.size === content.length && readFileSync(path).equals(content);
    return isSame ? stats : undefined;
  } catch {
    return undefined;
  }
}

/**
 * The names in a folder of the user.
 * @param what begins a sentence, e.g. `Image folder (--images)`
 * @throws CliError if it cannot be read
 */
export async function readUserFolder(
  path: string,
  what: string,
  { cwd }: Pick<Io, 'cwd'>,
): Promise<string[]> {
  return readdir(resolve(cwd, path)).catch(unreadable(path, what));
}

/** The paths of all files below a folder of the user, relative to it. @throws CliError like {@link readUserFolder} */
export async function listUserFiles(path: string, what: string, { cwd }: Pick<Io, 'cwd'>): Promise<string[]> {
  const root = resolve(cwd, path);
  const entries = await readdir(root, { recursive: true, withFileTypes: true }).catch(unreadable(path, what));
  const files = entries.filter((entry) => !entry.isDirectory());
  return files.map(({ name, parentPath }) => relative(root, join(parentPath, name)));
}

function unreadable(path: string, what: string) {
  return (error: unknown): never => {
    throw fileError(error, { path, what, action: 'read' });
  };
}

/**
 * Whether a file of the folder is a symbolic link that leads out of it: a user who may write to a folder whose files are read
 * without being named could make a service read any file of the machine. Those of Kubernetes' volumes lead to `..data` in the same
 * folder. A link that leads nowhere does not count: reading it fails.
 */
export async function leavesFolder(folder: string, name: string): Promise<boolean> {
  const path = join(folder, name);
  const stats = await lstat(path).catch(() => undefined);
  if (stats?.isSymbolicLink() !== true) return false;
  const target = await realpath(path).catch(() => undefined);
  if (target === undefined) return false;
  const root = await realpath(folder);
  return !target.startsWith(root.endsWith(sep) ? root : `${root}${sep}`);
}
