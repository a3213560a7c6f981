/**
 * Reads and writes the state of earlier runs in a prepared folder: the manifest, and in `.ironic-coreos` the digests of
 * large files and the journal.
 */

import { randomBytes } from 'node:crypto';
import { readdir, readFile, realpath, truncate, unlink } from 'node:fs/promises';
import { basename, dirname, join, relative } from 'node:path';
import { CliError, located } from '../../../core/errors.ts';
import { asMapping, isMapping, parseIfJson } from '../../../formats/mapping.ts';
import { isInside, type Manifest, parseManifest } from '../../../hosts/artifacts/manifest.ts';
import { CHECKSUMS, MANIFEST } from '../../../hosts/plan/servedPaths.ts';
import { errorCode } from '../../../io/files/fileErrors.ts';
import type { StampedDigest } from '../../../io/files/fileDigests.ts';
import { writeFileAtomically } from '../../../io/files/newFile.ts';
import { removeTemp, renameFile, targetOfTemp } from '../../../io/files/tempFile.ts';

/** Subfolder that must not be served. */
export const OWN_FOLDER = '.ironic-coreos';
/** Files in this subfolder. */
export const STAMPS = 'stamps.json';
export const JOURNAL = 'journal';
/** The list of renames in progress. */
const COMMIT = 'commit';

const ownFiles = [
  MANIFEST,
  CHECKSUMS,
  ...[STAMPS, JOURNAL, COMMIT, 'lock'].map((name) => join(OWN_FOLDER, name)),
];

/** Removes temporary files that a killed process left. */
async function removeHalfWritten(root: string, files: readonly string[]): Promise<void> {
  const names = new Set([...ownFiles, ...files]);
  for (const folder of new Set([...names].map((file) => dirname(file)))) {
    for (const name of await readdir(join(root, folder)).catch(() => [])) {
      const target = targetOfTemp(name);
      if (target !== undefined && names.has(join(folder, target))) removeTemp(join(root, folder, name));
    }
  }
}

export interface FolderNotes {
  /** The manifest of the last complete run. */
  readonly previous: Manifest | undefined;
  /** Digests of large files, by absolute path. */
  readonly stamps: ReadonlyMap<string, StampedDigest>;
  /** Files of this program that no manifest lists yet. */
  readonly journal: Set<string>;
}

/**
 * Completes the renames of an interrupted run first; its manifest is then the previous one.
 * @param wasStale whether a killed process left the lock, and maybe temporary files anywhere
 */
export async function readNotes(path: string, shown: string, wasStale: boolean): Promise<FolderNotes> {
  await finishCommit(path);
  const previous = await readPrevious(path, shown);
  const stamps = await readStamps(path);
  const journal = await readJournal(path);
  // A process that is killed before it has the lock leaves only the temporary path of the lock.
  const written = wasStale ? [...journal, ...(previous?.files ?? []).map((file) => file.path)] : [];
  await removeHalfWritten(path, written);
  return { previous, stamps, journal };
}

/**
 * The manifest of the last complete run; undefined in a new folder.
 * @throws CliError if it is invalid
 */
async function readPrevious(path: string, shown: string): Promise<Manifest | undefined> {
  const text = await readIfThere(join(path, MANIFEST));
  if (text === undefined) return undefined;
  const hint = 'remove it if no other program needs it, and use --force to write all files again';
  return located({ subject: `${join(shown, MANIFEST)} is invalid:`, hint }, () => parseManifest(text));
}

/** @throws CliError if the folder contains files but no state of earlier runs, or an invalid manifest */
export async function rejectForeign(path: string, shown: string, force: boolean): Promise<void> {
  const names = await readdir(path);
  if (names.includes(OWN_FOLDER)) return; // the manifest is read with the lock
  const isPrepared = (await readPrevious(path, shown)) !== undefined;
  if (force || isPrepared || names.every((name) => name === 'lost+found')) return;
  throw new CliError(`${shown} contains other files, but no ${MANIFEST} of an earlier run`, {
    code: 'ERR_FILE_EXISTS',
    hint: 'use a new or empty folder, or use --force to replace files with the same names and keep all others',
  });
}

async function readStamps(path: string): Promise<Map<string, StampedDigest>> {
  const text = await readIfThere(join(path, OWN_FOLDER, STAMPS));
  const stamps = new Map<string, StampedDigest>();
  for (const [name, value] of Object.entries(asMapping(parseIfJson(text ?? '')))) {
    if (isStamped(value)) stamps.set(name, value);
  }
  return stamps;
}

function isStamped(value: unknown): value is StampedDigest {
  if (!isMapping(value)) return false;
  const { stamp, sha256 = '', recipe = '' } = value;
  return (
    typeof stamp === 'string' &&
    [sha256, recipe].every((text) => typeof text === 'string' && /^(?:[0-9a-f]{64})?$/.test(text))
  );
}

/** Files of this program that no manifest lists yet. An incomplete last line is removed. */
async function readJournal(path: string): Promise<Set<string>> {
  const place = join(path, OWN_FOLDER, JOURNAL);
  const text = (await readIfThere(place)) ?? '';
  const lines = text.split('\n');
  const cut = lines.pop() ?? '';
  if (cut !== '') await truncate(place, Buffer.byteLength(text) - Buffer.byteLength(cut));
  return new Set(lines.filter(isInside));
}

/** The text of a file; undefined if it does not exist. @throws system errors */
async function readIfThere(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/**
 * Replaces several files with fixed names together: all of them are written to temporary files first, and then renamed.
 * The list of renames is on disk before the first rename, so that the next run completes an interrupted one. While the
 * files are renamed, which takes less than a millisecond for a hundred files, a reader may see old and new files.
 */
export class StagedFiles {
  readonly #root: string;
  /** The paths that are replaced, by the paths that the caller knows; they differ for symbolic links. */
  readonly #targets = new Map<string, string>();
  readonly #id = randomBytes(6).toString('hex');

  constructor(root: string) {
    this.#root = root;
  }

  /** The temporary path for the file at `path`. A symbolic link is kept, and its target replaced. */
  async stage(path: string): Promise<string> {
    const target = await realpath(path).catch(() => path);
    this.#targets.delete(path);
    this.#targets.set(path, target === path ? path : target); // one text of two that are equal
    return stagedPath(target, this.#id);
  }

  currentPath(path: string): string {
    const target = this.#targets.get(path);
    return target === undefined ? path : stagedPath(target, this.#id);
  }

  /** Renames all files, in the order in which they were staged. If this fails, the next run completes it. */
  async commit(): Promise<void> {
    if (this.#targets.size === 0) return;
    const list = join(this.#root, OWN_FOLDER, COMMIT);
    const targets = [...this.#targets.values()];
    const paths = targets.map((target) => relative(this.#root, target));
    await writeFileAtomically(list, JSON.stringify({ id: this.#id, paths }), { mode: 0o600 });
    this.#targets.clear();
    for (const target of targets) renameFile(stagedPath(target, this.#id), target); // nothing else runs in between
    await unlink(list);
  }

  async discard(path: string): Promise<void> {
    const target = this.#targets.get(path);
    if (target === undefined) return;
    this.#targets.delete(path);
    await unlink(stagedPath(target, this.#id)).catch(() => undefined);
  }

  /** Removes all staged files that are not being renamed. */
  async discardAll(): Promise<void> {
    for (const path of this.#targets.keys()) await this.discard(path);
  }
}

function stagedPath(target: string, id: string): string {
  return join(dirname(target), `.${basename(target)}.${id}.tmp`);
}

/**
 * Completes the renames of an interrupted run. Completed renames are skipped.
 * @throws system errors
 */
export async function finishCommit(root: string): Promise<void> {
  const list = join(root, OWN_FOLDER, COMMIT);
  const text = await readIfThere(list);
  if (text === undefined) return;
  // The list is written atomically, so an unreadable list is from another program, and is ignored.
  const { id, paths } = asMapping(parseIfJson(text));
  const isList = typeof id === 'string' && /^[0-9a-f]{12}$/.test(id) && Array.isArray(paths);
  for (const path of isList ? paths.filter((one) => typeof one === 'string') : []) {
    const target = join(root, path);
    try {
      renameFile(stagedPath(target, String(id)), target);
    } catch (error) {
      if (errorCode(error) !== 'ENOENT') throw error;
    }
  }
  await unlink(list);
}
