/** The folder of `--files-dir`: its files can be read, and nothing outside it, whatever its links point to. */

import { lstatSync, readdirSync, readFileSync, readlinkSync, realpathSync, statSync } from 'node:fs';
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

/** @throws LocalFileError also for what `use` cannot read */
function inside<T>(root: string, name: string, use: (path: string) => T): T {
  try {
    return use(realInside(root, name));
  } catch (error) {
    throw error instanceof LocalFileError ? error : new LocalFileError(unreadable(name, error));
  }
}

function readInside(root: string, name: string, bytesLeft: number): Uint8Array {
  return inside(root, name, (path) => {
    const stats = statSync(path);
    if (!stats.isFile()) throw new LocalFileError(problems.notFile); // a pipe is not waited for
    if (stats.size > bytesLeft) throw new LocalFileError(problems.tooLarge);
    return readFileSync(path);
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

function listFolder(root: string, name: string): readonly (readonly [name: string, found: Found])[] {
  return inside(root, name, (folder) => {
    if (!statSync(folder).isDirectory()) throw new LocalFileError(problems.notDirectory);
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
