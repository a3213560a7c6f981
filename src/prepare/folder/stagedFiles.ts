/**
 * Files that belong together and have fixed names: all of them are written beside their places first, and then renamed at
 * one go. A list of the renames is on the disk before the first of them, so that a run which was interrupted in between is
 * brought to its end by the next one. Until all have been renamed, which takes less than a millisecond, a reader can see
 * some that are old and some that are new.
 */

import { realpath, unlink } from 'node:fs/promises';
import { randomBytes } from 'node:crypto';
import { basename, dirname, join, relative } from 'node:path';
import { errorCode } from '../../io/files/fileErrors.ts';
import { COMMIT, OWN_FOLDER, readIfThere, temporaryFor } from './folderNotes.ts';
import { renameFileNow } from '../../io/files/renameFile.ts';
import { writeFileAtomically } from '../../io/files/outputFile.ts';

export interface StagedFiles {
  /** Where the file that is to be at `path` is written meanwhile. A symbolic link stays one. */
  stage(path: string): Promise<string>;
  /** Where the new bytes of the file at `path` are. */
  currentPath(path: string): string;
  /** Gives all files their names, in the order in which they were staged. */
  commit(): Promise<void>;
  /** Removes what has no name yet. */
  discard(): Promise<void>;
}

/** @param root the prepared folder */
export function stagedFiles(root: string): StagedFiles {
  const list = join(root, OWN_FOLDER, COMMIT);
  /** By the place that each is for. */
  const renames = new Map<string, Rename>();
  const id = randomBytes(6).toString('hex');
  return {
    stage: async (path) => {
      const to = await realpath(path).catch(() => path);
      const from = join(dirname(to), `.${basename(to)}.${id}.tmp`);
      renames.delete(path);
      renames.set(path, { from, to });
      return from;
    },
    currentPath: (path) => renames.get(path)?.from ?? path,
    commit: async () => {
      if (renames.size === 0) return;
      const listed = [...renames.values()].map(({ from, to }) => ({
        from: relative(root, from),
        to: relative(root, to),
      }));
      await writeFileAtomically(list, JSON.stringify(listed), { mode: 0o600 });
      for (const { from, to } of renames.values()) renameFileNow(from, to); // nothing else runs in between
      renames.clear();
      await unlink(list);
    },
    discard: async () => {
      for (const { from } of renames.values()) await unlink(from).catch(() => undefined);
      renames.clear();
    },
  };
}

interface Rename {
  readonly from: string;
  readonly to: string;
}

/**
 * Brings the renames to their end that an interrupted run has begun. Those that are done already are passed over.
 * @throws system errors
 */
export async function finishCommit(root: string): Promise<void> {
  const list = join(root, OWN_FOLDER, COMMIT);
  const text = await readIfThere(list);
  if (text === undefined) return;
  for (const { from, to } of parseRenames(text)) {
    try {
      renameFileNow(join(root, from), join(root, to));
    } catch (error) {
      if (errorCode(error) !== 'ENOENT') throw error;
    }
  }
  await unlink(list);
}

/** The list is written at one go, so one that cannot be read is not ours, and says nothing. */
function parseRenames(text: string): Rename[] {
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) ? value.filter(isRename) : [];
  } catch {
    return [];
  }
}

/** Only what `stage` names: a file, and a temporary one beside it. */
function isRename(value: unknown): value is Rename {
  if (typeof value !== 'object' || value === null || !('from' in value) || !('to' in value)) return false;
  const { from, to } = value;
  if (typeof from !== 'string' || typeof to !== 'string') return false;
  return dirname(from) === dirname(to) && temporaryFor(basename(from)) === basename(to);
}
