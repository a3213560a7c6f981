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
import { join, relative, resolve, sep } from 'node:path';
import { LocalFileError, type LocalEntry, type LocalFiles } from '../../butane/localFiles.ts';
import { problems, unreadable } from '../../butane/rules.ts';
import { CliError } from '../../core/errors.ts';
import type { Io } from '../../io/io.ts';

/** Bytes of all files that are read, and entries of all trees: a config has a few megabytes at most. */
const maxBytes = 256 * 1024 * 1024;
const maxEntries = 200_000;

/** @throws CliError if it is not a folder */
export function openFilesDir(path: string, { cwd }: Pick<Io, 'cwd'>): LocalFiles {
  const root = realFolder(path, cwd);
  let bytesLeft = maxBytes;
  let entriesLeft = maxEntries;
  const read = (name: string): Uint8Array => {
    const content = readInside(root, name, bytesLeft);
    bytesLeft -= content.length;
    return content;
  };
  const walk = (name: string): LocalEntry[] => {
    const folder = realInside(root, name);
    if (!lstatSync(folder).isDirectory()) throw new LocalFileError(problems.notDirectory);
    const entries = listEntries(folder, entriesLeft, (file) => relative(root, file));
    entriesLeft -= entries.length;
    return entries;
  };
  return { read, walk };
}

function realFolder(path: string, cwd: string): string {
  try {
    const folder = realpathSync(resolve(cwd, path));
    if (lstatSync(folder).isDirectory()) return folder;
  } catch (cause) {
    const hint = 'pass the folder with the local files of the Butane config';
    throw new CliError(`--files-dir ${path} cannot be read`, { code: 'ERR_FILE_MISSING', hint, cause });
  }
  throw new CliError(`--files-dir ${path} is not a folder`, {
    code: 'ERR_FILE_READ',
    hint: 'pass the folder with the local files of the Butane config',
  });
}

/** A leading slash does not leave the folder, as in Butane. */
function realInside(root: string, name: string): string {
  const path = join(root, name);
  if (!isInside(root, path)) throw new LocalFileError(problems.escape);
  let real: string;
  try {
    real = realpathSync(path);
  } catch (error) {
    throw new LocalFileError(unreadable(name, error));
  }
  if (!isInside(root, real)) throw new LocalFileError(problems.escape);
  return real;
}

function isInside(root: string, path: string): boolean {
  return path === root || path.startsWith(root.endsWith(sep) ? root : root + sep);
}

/** The path has no links any more; one that replaces a file now is not followed. Pipes and devices are not waited for. */
function readInside(root: string, name: string, bytesLeft: number): Uint8Array {
  const path = realInside(root, name);
  let file: number;
  try {
    // Windows has neither flag.
    file = openSync(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0));
  } catch (error) {
    throw new LocalFileError(unreadable(name, error));
  }
  try {
    const stats = fstatSync(file);
    if (!stats.isFile()) throw new LocalFileError(problems.notFile);
    if (stats.size > bytesLeft) throw new LocalFileError(problems.tooLarge);
    return readFileSync(file);
  } finally {
    closeSync(file);
  }
}

/** The folder itself first, with the path `.`; entries in the order of their names as bytes. */
function listEntries(folder: string, entriesLeft: number, nameOf: (path: string) => string): LocalEntry[] {
  const entries: LocalEntry[] = [];
  const visit = (path: string, shown: string): void => {
    if (entries.length >= entriesLeft) throw new LocalFileError(problems.tooLarge);
    const stats = lstatSync(path);
    if (stats.isSymbolicLink()) entries.push({ kind: 'link', path: shown, target: readlinkSync(path) });
    else if (stats.isFile()) {
      const isExecutable = (stats.mode & 0o111) !== 0;
      entries.push({ kind: 'file', path: shown, isExecutable, readAs: nameOf(path) });
    } else if (stats.isDirectory()) {
      entries.push({ kind: 'folder', path: shown });
      const names = readdirSync(path).toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
      for (const name of names) visit(join(path, name), shown === '.' ? name : `${shown}/${name}`);
    } else entries.push({ kind: 'other', path: shown });
  };
  try {
    visit(folder, '.');
  } catch (error) {
    throw error instanceof LocalFileError ? error : new LocalFileError(unreadable(nameOf(folder), error));
  }
  return entries;
}
