/**
 * What earlier runs have left in a prepared folder, besides the files for serving: the manifest, and in `.ironic-coreos`
 * the digests of large files and the journal.
 */

import { randomBytes } from 'node:crypto';
import { readdir, readFile, realpath, truncate, unlink } from 'node:fs/promises';
import { basename, dirname, join, relative } from 'node:path';
import { CliError, FormatError } from '../../core/errors.ts';
import { isInside, type Manifest, parseManifest } from '../../hosts/artifacts/manifest.ts';
import { CHECKSUMS, MANIFEST } from '../../hosts/artifacts/servedPaths.ts';
import { errorCode } from '../../io/files/fileErrors.ts';
import type { StampedDigest } from '../../io/files/fileDigests.ts';
import { writeFileAtomically } from '../../io/files/newFile.ts';
import { renameFileNow } from '../../io/files/tempFile.ts';

/** In the folder, and not for serving. */
export const OWN_FOLDER = '.ironic-coreos';
/** Files of it. */
export const STAMPS = 'stamps.json';
export const JOURNAL = 'journal';
/** Renames that have begun. */
const COMMIT = 'commit';

/** Written beside the files of every folder, and in our own one. */
const ownFiles = [
  MANIFEST,
  CHECKSUMS,
  ...[STAMPS, JOURNAL, COMMIT, 'lock'].map((name) => join(OWN_FOLDER, name)),
];

/** Temporary files beside ours, which a process that was killed could not remove. */
export async function removeHalfWritten(root: string, files: readonly string[]): Promise<void> {
  const names = new Set([...ownFiles, ...files]);
  for (const folder of new Set([...names].map((file) => dirname(file)))) {
    for (const name of await readdir(join(root, folder)).catch(() => [])) {
      const target = temporaryFor(name);
      if (target !== undefined && names.has(join(folder, target))) await unlink(join(root, folder, name));
    }
  }
}

/** The name of the file that a temporary one was for; undefined for any other name. */
export function temporaryFor(name: string): string | undefined {
  const target = /^\.(.+?)\.(?:[0-9]+-[0-9]+-[0-9a-f]{8}\.)?[0-9a-f]{12}\.tmp$/s.exec(name)?.[1];
  // One that is staged has a temporary one itself.
  return target === undefined ? undefined : (temporaryFor(target) ?? target);
}

/**
 * The manifest of the last run that came to its end; undefined in a new folder.
 * @throws CliError where it cannot be used
 */
export async function readPrevious(path: string, shown: string): Promise<Manifest | undefined> {
  const text = await readIfThere(join(path, MANIFEST));
  if (text === undefined) return undefined;
  try {
    return parseManifest(text);
  } catch (error) {
    if (!(error instanceof FormatError)) throw error;
    throw new CliError(`${join(shown, MANIFEST)} cannot be used: ${error.message}`, {
      code: 'ERR_FORMAT',
      hint: 'take it away if nothing else needs it, and give --force; all files are then written anew',
      cause: error,
    });
  }
}

/** @throws CliError where the folder holds something, and no notes of ours */
export async function refuseForeign(path: string, shown: string): Promise<void> {
  const names = await readdir(path);
  if (names.includes(OWN_FOLDER) || names.every((name) => name === 'lost+found')) return;
  throw new CliError(`${shown} holds other files, and no ${MANIFEST} of an earlier run`, {
    code: 'ERR_FILE_EXISTS',
    hint: 'give a new or empty folder, or --force: files of the same names are then replaced, and no others touched',
  });
}

/** Digests of large files, by absolute path. */
export async function readStamps(path: string): Promise<Map<string, StampedDigest>> {
  const text = await readIfThere(join(path, OWN_FOLDER, STAMPS));
  const stamps = new Map<string, StampedDigest>();
  for (const [name, value] of Object.entries(parseObject(text ?? '{}'))) {
    if (isStamped(value)) stamps.set(name, value);
  }
  return stamps;
}

/** What cannot be read is as if nothing were known. */
function parseObject(text: string): object {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : {};
  } catch {
    return {};
  }
}

function isStamped(value: unknown): value is StampedDigest {
  return (
    typeof value === 'object' &&
    value !== null &&
    'stamp' in value &&
    typeof value.stamp === 'string' &&
    'sha256' in value &&
    typeof value.sha256 === 'string' &&
    /^[0-9a-f]{64}$/.test(value.sha256)
  );
}

/** Files that no manifest lists, and yet are ours. The last line may be cut off, and is then taken out. */
export async function readJournal(path: string): Promise<Set<string>> {
  const place = join(path, OWN_FOLDER, JOURNAL);
  const text = (await readIfThere(place)) ?? '';
  const lines = text.split('\n');
  const cut = lines.pop() ?? '';
  if (cut !== '') await truncate(place, Buffer.byteLength(text) - Buffer.byteLength(cut));
  return new Set(lines.filter(isInside));
}

/** The text of a file; undefined where there is none. @throws system errors */
async function readIfThere(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/**
 * Files that belong together and have fixed names: all of them are written beside their places first, and then renamed at
 * one go. A list of the renames is on the disk before the first of them, so that a run which was interrupted in between is
 * brought to its end by the next one. Until all have been renamed, which takes less than a millisecond, a reader can see
 * some that are old and some that are new.
 */

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
