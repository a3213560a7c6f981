/** The folder of `--files-dir`: its files can be read, and nothing outside it, whatever its links point to. */

import { lstatSync, readdirSync, readFileSync, readlinkSync, realpathSync, statSync } from 'node:fs';
import { join, resolve, sep } from 'node:path';
import { LocalFileError, type LocalEntry, type LocalFiles } from '../../butane/localFiles.ts';
import { problems, unreadable } from '../../butane/rules.ts';
import { CliError } from '../../core/errors.ts';
import type { Io } from '../../io/io.ts';

/** @throws CliError if it is not a folder */
export function openFilesDir(path: string, { cwd }: Pick<Io, 'cwd'>): LocalFiles {
  const root = realFolder(path, cwd);
  return {
    read: (name) =>
      inside(root, name, (file) => {
        if (!statSync(file).isFile()) throw new LocalFileError(problems.notFile); // a pipe is not waited for
        return readFileSync(file);
      }),
    walk: (name) => listEntries(root, name, '.'),
  };
}

function realFolder(path: string, cwd: string): string {
  try {
    const folder = realpathSync(resolve(cwd, path));
    readdirSync(folder); // fails for a file, too
    return folder;
  } catch (cause) {
    throw new CliError(`the folder of local files cannot be read: ${path}`, {
      code: 'ERR_FILE_READ',
      hint: 'set --files-dir, or filesDir in an inventory, to the folder of the files that the Butane config names',
      cause,
    });
  }
}

/**
 * Calls `use` with the real path. A leading slash does not leave the folder, as in Butane.
 * @throws LocalFileError also for what `use` cannot read
 */
function inside<T>(root: string, name: string, use: (path: string) => T): T {
  try {
    const path = join(root, name);
    const real = isInside(root, path) ? realpathSync.native(path) : path;
    if (!isInside(root, real)) throw new LocalFileError(problems.escape);
    return use(real);
  } catch (error) {
    throw error instanceof LocalFileError ? error : new LocalFileError(unreadable(name, error));
  }
}

function isInside(root: string, path: string): boolean {
  return path === root || path.startsWith(root.endsWith(sep) ? root : root + sep);
}

/** The folder itself first; entries in the order of their names as bytes. @param shown its path in the list */
function listEntries(root: string, name: string, shown: string): LocalEntry[] {
  const below = inside(root, name, (folder) => {
    if (!statSync(folder).isDirectory()) throw new LocalFileError(problems.notDirectory);
    return readdirSync(folder)
      .toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
      .map((child) => ({ child, place: join(folder, child), stats: lstatSync(join(folder, child)) }));
  });
  const entries = below.flatMap(({ child, place, stats }): LocalEntry[] => {
    const path = shown === '.' ? child : `${shown}/${child}`;
    const readAs = join(name, child);
    if (stats.isDirectory()) return listEntries(root, readAs, path);
    if (stats.isSymbolicLink()) return [{ kind: 'link', path, target: readlinkSync(place) }];
    const isExecutable = (stats.mode & 0o111) !== 0;
    return [stats.isFile() ? { kind: 'file', path, isExecutable, readAs } : { kind: 'other', path }];
  });
  return [{ kind: 'folder', path: shown }, ...entries];
}
