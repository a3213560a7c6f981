/**
 * The folder that `prepare` writes, with the subfolder `.ironic-coreos`, which must not be served. `stamps.json` contains
 * digests of large files, so that they are not read again. `journal` lists files that no manifest lists yet: they
 * identify the files that an interrupted run left.
 */

import { createHash } from 'node:crypto';
import type { Stats } from 'node:fs';
import { appendFile, chmod, chown, lstat, mkdir, readFile, rmdir, stat, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { CliError } from '../../core/errors.ts';
import { CHECKSUMS, MANIFEST } from '../../hosts/artifacts/servedPaths.ts';
import { type Manifest, type ManifestFile, parseManifest } from '../../hosts/artifacts/manifest.ts';
import { errorCode, fileError } from '../../io/files/fileErrors.ts';
import { type KnownDigests, knownDigests } from '../../io/files/fileDigests.ts';
import { type FileLock, lockFolder } from '../../io/files/folderLock.ts';
import {
  finishCommit,
  JOURNAL,
  OWN_FOLDER,
  readJournal,
  readPrevious,
  readStamps,
  rejectForeign,
  removeHalfWritten,
  type StagedFiles,
  stagedFiles,
  STAMPS,
} from './folderNotes.ts';
import { createFile, type NewFile, writeFileAtomically } from '../../io/files/newFile.ts';
import { hasPermissions } from '../../io/files/platform.ts';
import { shareFile } from '../../io/files/shareFile.ts';

/** Permissions of a file. */
export interface Access {
  /** Permission bits. */
  readonly mode: number;
  /** Number of its group (default: the group of the user). */
  readonly group?: number | undefined;
}

/** Path, permissions and manifest fields of a file. */
export interface FilePurpose extends Access {
  /** Relative to the folder, separated by slashes. */
  readonly path: string;
  readonly host?: string;
  readonly secrets?: readonly string[];
}

/** A file that takes long to create. */
interface LargeFile extends FilePurpose {
  /** Digest of all inputs: the same digest means the same content. */
  readonly recipe: string;
}

/** Writes a file atomically. Returns its SHA-256 in hexadecimal if it was computed while writing. */
type Fill = (target: NewFile) => Promise<string | void>;

export interface PreparedFolder {
  /** Absolute. */
  readonly path: string;
  /** The manifest of the last complete run. */
  readonly previous: Manifest | undefined;
  readonly digests: KnownDigests;
  /** The files that this run has written or found unchanged. */
  readonly files: ReadonlyMap<string, ManifestFile>;
  readonly counts: { written: number; unchanged: number };
  /** Files of an interrupted run that this run has not written. */
  abandoned(): readonly string[];
  put(file: FilePurpose, content: Uint8Array): Promise<void>;
  make(file: LargeFile, fill: Fill): Promise<void>;
  /** Clones, hard-links or copies a file. @param source absolute path */
  share(file: FilePurpose, source: string): Promise<void>;
  /** The current path of a file that this run has written or found. */
  currentPath(path: string): string;
  /** Renames staged files, writes manifest and checksums, and then removes files of earlier runs. */
  finish(ending: FolderEnding): Promise<void>;
  /** Releases the lock. Staged files that have not been renamed are removed. */
  release(): Promise<void>;
}

interface FolderEnding {
  readonly manifest: string;
  readonly checksums: (manifestSha256: string) => string;
  /** Paths that the manifest no longer lists. */
  readonly removed: readonly string[];
}

const PUBLIC = 0o666;

export interface FolderOptions {
  /** The path as the user gave it. */
  readonly shown: string;
  /** Accepts folders with files of other programs. */
  readonly force: boolean;
  /**
   * When files are renamed to their final names: `immediate`, for files with unique names, or `together` at the end, for
   * files with fixed names.
   */
  readonly naming: 'immediate' | 'together';
}

/**
 * Opens the folder for one process, and creates it if it is missing.
 * @throws CliError if it is in use, or if it is neither empty nor prepared before (unless `force`)
 */
export async function openPreparedFolder(path: string, options: FolderOptions): Promise<PreparedFolder> {
  const { shown, force } = options;
  try {
    await mkdir(path, { recursive: true });
    const isPrepared = (await readPrevious(path, shown)) !== undefined;
    if (!force && !isPrepared) await rejectForeign(path, shown);
    await mkdir(join(path, OWN_FOLDER), { recursive: true, mode: 0o700 });
    const lock = await lockFolder(join(path, OWN_FOLDER, 'lock'), shown);
    try {
      return await openLocked(path, options, lock);
    } catch (error) {
      await lock.release();
      throw error;
    }
  } catch (error) {
    throw fileError(error, { path: shown, what: 'Folder', action: 'create' });
  }
}

/** Completes the renames of an interrupted run first; its manifest is then the previous one. */
async function openLocked(path: string, options: FolderOptions, lock: FileLock): Promise<PreparedFolder> {
  const { shown, naming: order } = options;
  await finishCommit(path);
  const previous = await readPrevious(path, shown);
  const digests = knownDigests(await readStamps(path));
  const journal = await readJournal(path);
  if (lock.wasStale)
    await removeHalfWritten(path, [...journal, ...(previous?.files ?? []).map((file) => file.path)]);
  const staged = order === 'together' ? stagedFiles(path) : undefined;
  return folderAt({ path, shown, previous, digests, journal, lock, staged });
}

interface FolderFacts extends Pick<PreparedFolder, 'path' | 'previous' | 'digests'> {
  readonly shown: string;
  readonly staged: StagedFiles | undefined;
  readonly lock: FileLock;
  /** Files of this program that no manifest lists yet. */
  readonly journal: Set<string>;
}

interface OpenFolder extends FolderFacts {
  readonly files: Map<string, ManifestFile>;
  readonly counts: { written: number; unchanged: number };
  readonly known: ReadonlyMap<string, ManifestFile>;
  /** Folders that exist. */
  readonly folders: Set<string>;
}

function folderAt(facts: FolderFacts): PreparedFolder {
  const known = new Map((facts.previous?.files ?? []).map((file) => [file.path, file]));
  const folder: OpenFolder = {
    ...facts,
    known,
    files: new Map(),
    counts: { written: 0, unchanged: 0 },
    folders: new Set(),
  };
  const { path, previous, digests, files, counts } = folder;
  return {
    path,
    previous,
    digests,
    files,
    counts,
    abandoned: () => [...facts.journal].filter((name) => !files.has(name) && !known.has(name)),
    put: (file, content) => naming(folder, file, () => put(folder, file, content)),
    make: (file, fill) => naming(folder, file, () => make(folder, file, fill)),
    share: (file, source) => naming(folder, file, () => share(folder, file, source)),
    currentPath: (name) => currentPath(folder, name),
    finish: (ending) => finish(folder, ending),
    release: async () => {
      await facts.staged?.discard();
      await facts.lock.release();
    },
  };
}

async function naming(
  { shown }: OpenFolder,
  { path }: FilePurpose,
  step: () => Promise<void>,
): Promise<void> {
  try {
    await step();
  } catch (error) {
    throw fileError(error, { path: join(shown, path), what: 'File', action: 'write' });
  }
}

function currentPath({ path, staged }: OpenFolder, name: string): string {
  const place = join(path, name);
  return staged?.currentPath(place) ?? place;
}

async function put(folder: OpenFolder, file: FilePurpose, content: Uint8Array): Promise<void> {
  const place = await placeOf(folder, file);
  const isThere = await hasContent(place.path, content);
  if (!isThere)
    await createFile(await newFileAt(place, folder, file), ({ handle }) => handle.writeFile(content));
  await setAccess(folder, file);
  const sha256 = createHash('sha256').update(content).digest('hex');
  record(folder, file, { size: content.length, sha256, isWritten: !isThere });
}

async function hasContent(path: string, content: Uint8Array): Promise<boolean> {
  const stats = await lstat(path).catch(() => undefined);
  if (stats?.isFile() !== true || stats.size !== content.length) return false;
  return (await readFile(path).catch(() => undefined))?.equals(content) === true;
}

async function make(folder: OpenFolder, file: LargeFile, fill: Fill): Promise<void> {
  const place = await placeOf(folder, file);
  const before = folder.known.get(file.path);
  const isThere = before?.recipe === file.recipe && (await hasDigest(folder, place.path, before.sha256));
  const known = isThere ? before.sha256 : await fill(await newFileAt(place, folder, file));
  await setAccess(folder, file);
  const current = currentPath(folder, file.path);
  const sha256 = known ?? (await folder.digests.sha256(current));
  await folder.digests.remember(current, sha256);
  const { size } = await stat(current);
  record(folder, file, { size, sha256, recipe: file.recipe, isWritten: !isThere });
}

async function share(folder: OpenFolder, file: FilePurpose, source: string): Promise<void> {
  const place = await placeOf(folder, file);
  const sha256 = await folder.digests.sha256(source);
  const isThere = await hasDigest(folder, place.path, sha256);
  const shared = isThere
    ? 'unchanged'
    : await shareFile(source, { ...(await newFileAt(place, folder, file)), mode: file.mode });
  if (shared === 'cloned' || shared === 'copied') await setAccess(folder, file);
  const current = currentPath(folder, file.path);
  // A hard link to the source has changed its ctime.
  for (const path of [source, current]) await folder.digests.remember(path, sha256);
  const { size } = await stat(current);
  record(folder, file, { size, sha256, isWritten: shared !== 'unchanged' });
}

async function hasDigest({ digests }: OpenFolder, path: string, sha256: string): Promise<boolean> {
  const stats = await lstat(path).catch(() => undefined);
  return stats?.isFile() === true && (await digests.sha256(path)) === sha256;
}

interface Place {
  /** Absolute final path. */
  readonly path: string;
  readonly shownPath: string;
}

/** Adds a new name to the journal before the file is created. */
async function placeOf(
  { path, shown, journal, known, folders }: OpenFolder,
  file: FilePurpose,
): Promise<Place> {
  const place = join(path, file.path);
  if (!folders.has(dirname(place))) {
    await mkdir(dirname(place), { recursive: true }).catch((error: unknown) => {
      throw fileError(error, { path: join(shown, dirname(file.path)), what: 'Folder', action: 'create' });
    });
    folders.add(dirname(place));
  }
  const isListed = known.has(file.path) || journal.has(file.path);
  if (!isListed && (await lstat(place).catch(() => undefined)) === undefined) {
    journal.add(file.path);
    await appendFile(join(path, OWN_FOLDER, JOURNAL), `${file.path}\n`);
  }
  return { path: place, shownPath: join(shown, file.path) };
}

/** The file is private while it is written; group permissions are added with the group. */
async function newFileAt(
  { path, shownPath }: Place,
  { staged }: OpenFolder,
  { group, mode }: FilePurpose,
): Promise<NewFile & { readonly mode: number }> {
  const target = staged === undefined ? path : await staged.stage(path);
  return { path: target, shownPath, existing: 'replace', mode: group === undefined ? mode : mode & 0o700 };
}

async function setAccess(folder: OpenFolder, { path: name, mode, group }: FilePurpose): Promise<void> {
  const path = currentPath(folder, name);
  try {
    const stats = await stat(path);
    if (group !== undefined && stats.gid !== group) await chown(path, -1, group);
    if (needsMode(stats, mode)) await chmod(path, mode);
  } catch (error) {
    if (errorCode(error) !== 'EPERM') throw error;
    throw new CliError(`Cannot set permissions of ${join(folder.shown, name)}`, {
      code: 'ERR_FILE_ACCESS',
      hint: 'use a group that you belong to, or run the command as root',
      cause: error,
    });
  }
}

/** The permissions of hard links are not changed: they are shared with another file. */
function needsMode({ mode, nlink }: Stats, wanted: number): boolean {
  return hasPermissions() && (mode & 0o777) !== wanted && nlink === 1;
}

interface Outcome {
  readonly size: number;
  readonly sha256: string;
  readonly recipe?: string;
  readonly isWritten: boolean;
}

function record(
  { files, counts }: OpenFolder,
  { path, mode, host, secrets = [] }: FilePurpose,
  { size, sha256, recipe, isWritten }: Outcome,
): void {
  counts[isWritten ? 'written' : 'unchanged'] += 1;
  files.set(path, {
    path,
    size,
    sha256,
    mode: mode.toString(8).padStart(4, '0'),
    ...(host !== undefined && { host }),
    ...(secrets.length > 0 && { secrets }),
    ...(recipe !== undefined && { recipe }),
  });
}

/** Files to remove are in the journal before the manifest no longer lists them, until they are removed. */
async function finish(folder: OpenFolder, { manifest, checksums, removed }: FolderEnding): Promise<void> {
  const { path, shown, staged, journal, digests } = folder;
  const own = join(path, OWN_FOLDER);
  const mode = PUBLIC & ~process.umask();
  const listed = new Set(parseManifest(manifest).files.map((file) => file.path));
  try {
    if (removed.length > 0) await appendFile(join(own, JOURNAL), removed.map((file) => `${file}\n`).join(''));
    const sha256 = createHash('sha256').update(manifest).digest('hex');
    const written = stagedDigests(folder);
    for (const [name, text] of [
      [MANIFEST, manifest],
      [CHECKSUMS, checksums(sha256)],
    ] as const) {
      const place = join(path, name);
      if (!(await hasContent(place, Buffer.from(text))))
        await writeFileAtomically((await staged?.stage(place)) ?? place, text, { mode });
    }
    await staged?.commit();
    for (const [name, digest] of written) await digests.remember(join(path, name), digest);
    const stamps = `${JSON.stringify(await digests.save(), undefined, 1)}\n`;
    await writeFileAtomically(join(own, STAMPS), stamps, { mode: 0o600 });
    for (const file of removed) await removeFile(path, file);
    const unlisted = [...journal].filter((file) => !listed.has(file) && !removed.includes(file));
    await writeFileAtomically(join(own, JOURNAL), unlisted.map((file) => `${file}\n`).join(''));
  } catch (error) {
    throw fileError(error, { path: shown, what: 'Folder', action: 'write' });
  }
}

/** Digests of staged files. */
function stagedDigests(folder: OpenFolder): (readonly [path: string, sha256: string])[] {
  const isStaged = (name: string): boolean => currentPath(folder, name) !== join(folder.path, name);
  return [...folder.files.values()]
    .filter(({ path }) => isStaged(path))
    .map(({ path, sha256 }) => [path, sha256]);
}

/** Removes the file, and folders that are then empty. */
async function removeFile(root: string, file: string): Promise<void> {
  await unlink(join(root, file)).catch((error: unknown) => {
    if (errorCode(error) !== 'ENOENT') throw error;
  });
  for (let folder = dirname(file); folder !== '.'; folder = dirname(folder)) {
    if (
      !(await rmdir(join(root, folder)).then(
        () => true,
        () => false,
      ))
    )
      return;
  }
}
