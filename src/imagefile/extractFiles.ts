/**
 * Writes files from an archive below a folder only. Names in archives are untrusted: `..` and symbolic links below the folder
 * are rejected, and existing files are replaced only with `--overwrite`.
 */

import { quoteText } from '../core/foreignText.ts';
import { lstat, mkdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { CliError } from '../core/errors.ts';
import { emptyPathError, errorCode, existsError, fileError } from '../io/files/fileErrors.ts';
import { modeForContent } from './imageOutput.ts';
import { makeFolder, makePrivate, renameToFree, usualMode } from '../io/files/newFile.ts';
import { isOwnName } from '../io/files/platform.ts';
import { renameFile, withTempPath } from '../io/files/tempFile.ts';

/** The destination of the files of an archive. */
export interface Extraction {
  /**
   * Writes the file with this name; a second file with the same name replaces the first one.
   * @param origin its path in the archive, which identifies files with secrets (default: `name`)
   * @throws CliError for system errors
   */
  readonly write: (name: string, data: Uint8Array, origin?: string) => Promise<void>;
  /** Of the new file, below the folder as the user gave it. */
  readonly pathOf: (name: string) => string;
}

/** Under the names of the command line. */
export interface ExtractionTarget {
  /** Folder to write the files to, created if it is missing. */
  readonly directory: string;
  /** Replaces existing files. */
  readonly overwrite?: boolean | undefined;
}

/** Maximum length of a path on Linux. */
const MAX_LENGTH = 4096;

/**
 * Creates the folder for files with these names only. The files get the default mode of the umask, or 0600 if they contain
 * secrets. All names are checked before the first file is written.
 * @throws CliError `path … contains path traversal`, `File exists: …`, or for system errors
 */
export async function prepareExtraction(
  { directory, overwrite = false }: ExtractionTarget,
  names: readonly string[],
  io: { readonly cwd: string },
): Promise<Extraction> {
  if (directory === '') throw emptyPathError('The folder path is empty', 'folder');
  const folder = resolve(io.cwd, directory);
  const prefix = directory.endsWith('/') ? directory : `${directory}/`;
  const paths = names.map(pathBelow);
  if (!overwrite) await refuseExisting(paths, folder, prefix);
  await makeFolder(folder, directory);
  const pathsByName = new Map(paths.map((path, index) => [names[index], path]));
  const find = (name: string): string => {
    const path = pathsByName.get(name);
    if (path === undefined) throw new RangeError(`${name} was not announced`);
    return path;
  };
  const written = new Set<string>();
  const write = async (name: string, data: Uint8Array, origin = name): Promise<void> => {
    const path = find(name);
    const place = join(folder, path);
    const mode = modeForContent(new Map([[origin, data]]));
    if (!written.has(path)) await makeParents(path, folder, prefix);
    try {
      // Without sync, because an initramfs has thousands of files.
      await withTempPath(place, async (temp) => {
        const handle = await makePrivate(temp);
        try {
          await handle.writeFile(data);
          await handle.chmod(mode ?? usualMode());
        } finally {
          await handle.close();
        }
        if (overwrite || written.has(path)) renameFile(temp, place);
        else await renameToFree(temp, place);
      });
    } catch (error) {
      throw errorCode(error) === 'EEXIST'
        ? existsError(prefix + path, 'replace it with --overwrite')
        : creationError(error, prefix + path, place);
    }
    written.add(path);
  };
  return { write, pathOf: (name) => prefix + find(name) };
}

/** The path below the folder for a name in an archive. */
function pathBelow(name: string): string {
  const hint = 'pass patterns that do not match this file; nothing was written';
  const steps = name.split('/').filter((step) => step !== '' && step !== '.');
  if (name.startsWith('/') || steps.includes('..')) {
    throw new CliError(`path ${name} contains path traversal`, { code: 'ERR_IMAGE', hint });
  }
  if (steps.length === 0 || !steps.every((step) => isOwnName(step)) || name.length > MAX_LENGTH) {
    const shown = quoteText(name);
    throw new CliError(`${shown} is not a valid file name`, { code: 'ERR_IMAGE', hint });
  }
  return steps.join('/');
}

/** @param prefix the folder as the user gave it, with a slash at its end */
async function refuseExisting(paths: readonly string[], folder: string, prefix: string): Promise<void> {
  const seen = new Set<string>();
  for (const path of paths) {
    const exists = seen.has(path) || (await lstat(join(folder, path)).catch(() => undefined)) !== undefined;
    if (exists) throw existsError(prefix + path, 'replace it with --overwrite');
    seen.add(path);
  }
}

/**
 * Creates the missing folders between the folder of the user and a file. An existing folder may be a symbolic link that leads
 * out of the folder of the user.
 */
async function makeParents(path: string, folder: string, prefix: string): Promise<void> {
  for (let slash = path.indexOf('/'); slash !== -1; slash = path.indexOf('/', slash + 1)) {
    const parent = path.slice(0, slash);
    const place = join(folder, parent);
    try {
      await mkdir(place);
    } catch (error) {
      const isFolder = errorCode(error) === 'EEXIST' && (await lstat(place)).isDirectory();
      if (!isFolder) throw creationError(error, prefix + parent, place);
    }
  }
}

function creationError(error: unknown, path: string, place: string): unknown {
  return fileError(error, { path, what: 'Output', action: 'create', place });
}
