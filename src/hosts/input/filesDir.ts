/** The folder of `--files-dir`: its files can be read, and nothing outside it, whatever its links point to. */

import {
  constants,
  closeSync,
  fstatSync,
  lstatSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
} from 'node:fs';
import { join, resolve, sep } from 'node:path';
import { LocalFileError, type LocalEntry, type LocalFiles } from '../../butane/localFiles.ts';
import { problems, unreadable } from '../../butane/rules.ts';
import { CliError } from '../../core/errors.ts';
import type { Io } from '../../io/io.ts';

/** Bytes of all files that are read, and entries of all trees: a config has a few megabytes at most. */
const MAX_BYTES = 256 * 1024 * 1024;
const MAX_ENTRIES = 200_000;

/** Where local files of Butane documents may be. */
export interface FilesDir {
  readonly path: string;
  readonly io: Pick<Io, 'cwd'>;
}

/** @throws CliError if it is not a folder */
export function openFilesDir({ path, io }: FilesDir): LocalFiles {
  const root = realFolder(path, io.cwd);
  let bytesLeft = MAX_BYTES;
  let entriesLeft = MAX_ENTRIES;
  const read = (name: string): Uint8Array => {
    const content = readInside(root, name, bytesLeft);
    bytesLeft -= content.length;
    return content;
  };
  const walk = (name: string): LocalEntry[] => {
    const entries = listEntries(root, name, entriesLeft);
    entriesLeft -= entries.length;
    return entries;
  };
  return { read, walk };
}

const HINT =
  'set --files-dir, or filesDir in an inventory, to the folder of the files that the Butane config names';

function realFolder(path: string, cwd: string): string {
  try {
    const folder = realpathSync(resolve(cwd, path));
    if (lstatSync(folder).isDirectory()) return folder;
  } catch (cause) {
    throw new CliError(`the folder of local files cannot be read: ${path}`, {
      code: 'ERR_FILE_MISSING',
      hint: HINT,
      cause,
    });
  }
  throw new CliError(`the folder of local files is not a folder: ${path}`, {
    code: 'ERR_FILE_READ',
    hint: HINT,
  });
}

/** A leading slash does not leave the folder, as in Butane. */
function realInside(root: string, name: string): string {
  const path = join(root, name);
  if (!isInside(root, path)) throw new LocalFileError(problems.escape);
  const real = realpathSync.native(path);
  if (!isInside(root, real)) throw new LocalFileError(problems.escape);
  return real;
}

function isInside(root: string, path: string): boolean {
  return path === root || path.startsWith(root.endsWith(sep) ? root : root + sep);
}

/**
 * Opens a file or folder for `use`. The path is checked before, so that no device outside of the folder is opened, and on
 * Linux once more on what is open: a part of the path may have been replaced with a link in between.
 */
function withInside<T>(root: string, name: string, use: (file: number, path: string) => T): T {
  let file: number | undefined;
  try {
    const path = realInside(root, name);
    // Pipes and devices are not waited for. Windows has neither flag.
    file = openSync(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0));
    if (process.platform === 'linux' && !isInside(root, readlinkSync(`/proc/self/fd/${file}`)))
      throw new LocalFileError(problems.escape);
    return use(file, path);
  } catch (error) {
    throw error instanceof LocalFileError ? error : new LocalFileError(unreadable(name, error));
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

function readInside(root: string, name: string, bytesLeft: number): Uint8Array {
  return withInside(root, name, (file) => {
    const stats = fstatSync(file);
    if (!stats.isFile()) throw new LocalFileError(problems.notFile);
    if (stats.size > bytesLeft) throw new LocalFileError(problems.tooLarge);
    return readFileSync(file);
  });
}

/** The folder itself first, with the path `.`; entries in the order of their names as bytes. */
function listEntries(root: string, name: string, entriesLeft: number): LocalEntry[] {
  const entries: LocalEntry[] = [];
  const add = (entry: LocalEntry): void => {
    if (entries.length >= entriesLeft) throw new LocalFileError(problems.tooLarge);
    entries.push(entry);
  };
  const visit = (folder: string, shown: string): void => {
    add({ kind: 'folder', path: shown });
    for (const [child, found] of listFolder(root, folder)) {
      const path = shown === '.' ? child : `${shown}/${child}`;
      const readAs = join(folder, child);
      if (found.kind === 'folder') visit(readAs, path);
      else if (found.kind === 'file') add({ ...found, path, readAs });
      else add({ ...found, path });
    }
  };
  visit(name, '.');
  return entries;
}

/** An entry of a folder, without its paths. */
type Found =
  | { readonly kind: 'folder' | 'other' }
  | { readonly kind: 'file'; readonly isExecutable: boolean }
  | { readonly kind: 'link'; readonly target: string };

/** The entries of the folder that is open, whatever has replaced its path. */
function listFolder(root: string, name: string): readonly (readonly [name: string, found: Found])[] {
  return withInside(root, name, (file, path) => {
    if (!fstatSync(file).isDirectory()) throw new LocalFileError(problems.notDirectory);
    const folder = process.platform === 'linux' ? `/proc/self/fd/${file}` : path;
    const names = readdirSync(folder).toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
    return names.map((child) => [child, findEntry(join(folder, child))]);
  });
}

function findEntry(path: string): Found {
  const stats = lstatSync(path);
  if (stats.isSymbolicLink()) return { kind: 'link', target: readlinkSync(path) };
  if (stats.isFile()) return { kind: 'file', isExecutable: (stats.mode & 0o111) !== 0 };
  return { kind: stats.isDirectory() ? 'folder' : 'other' };
}
