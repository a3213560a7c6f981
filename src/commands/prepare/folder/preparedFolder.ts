/**
 * The folder that `prepare` writes, with the subfolder `.ironic-coreos`, which must not be served. `stamps.json` contains
 * digests of large files, so that they are not read again. `journal` lists files that no manifest lists yet: they
 * identify the files that an interrupted run left.
 */

import { createHash, type Hash } from 'node:crypto';
import type { Stats } from 'node:fs';
import { appendFile, chmod, chown, lstat, rmdir, stat, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { CliError } from '../../../core/errors.ts';
import {
  formatChecksums,
  formatManifest,
  type Manifest,
  type ManifestFile,
} from '../../../hosts/artifacts/manifest.ts';
import { CHECKSUMS, MANIFEST } from '../../../hosts/plan/servedPaths.ts';
import { errorCode, fileError } from '../../../io/files/fileErrors.ts';
import { statsOfSame } from '../../../io/files/fileStates.ts';
import {
  type FileKnowledge,
  hashFile,
  type KnownDigests,
  knownDigests,
} from '../../../io/files/fileDigests.ts';
import { type FolderLock, lockFolder } from '../../../io/files/folderLock.ts';
import {
  type FolderNotes,
  JOURNAL,
  OWN_FOLDER,
  readNotes,
  rejectForeign,
  StagedFiles,
  STAMPS,
} from './folderNotes.ts';
import { createFile, makeFolder, type NewFile, writeFileAtomically } from '../../../io/files/newFile.ts';
import { hasPermissions } from '../../../io/files/platform.ts';
import { shareFile } from '../../../io/files/shareFile.ts';

export interface Access {
  /** Permission bits. */
  readonly mode: number;
  /** Number of its group (default: the group of the user). */
  readonly group?: number | undefined;
}

type FilePurpose = Pick<ManifestFile, 'path' | 'kind' | 'host' | 'secrets'>;

export interface FolderOptions {
  /** The path as the user gave it. */
  readonly shown: string;
  /** Of files without secrets. */
  readonly open: Access;
  /** Of files with secrets. */
  readonly secret: Access;
  /** Accepts folders with files of other programs. */
  readonly force: boolean;
  /**
   * Whether a file is renamed to its final path together with others at the end of the run. Other files appear as soon as
   * they are complete.
   */
  readonly isStaged: (path: string) => boolean;
}

/**
 * Opens the folder for one process, and creates it if it is missing.
 * @throws CliError if it is in use, or if it is neither empty nor prepared before (unless `force`)
 */
export async function openPreparedFolder(path: string, options: FolderOptions): Promise<PreparedFolder> {
  const { shown, force } = options;
  try {
    await makeFolder(path, shown);
    await rejectForeign(path, shown, force);
    await makeFolder(join(path, OWN_FOLDER), shown, 0o700);
    const lock = lockFolder(join(path, OWN_FOLDER, 'lock'), shown);
    try {
      return new PreparedFolder(path, options, lock, await readNotes(path, shown, lock.wasStale));
    } catch (error) {
      lock.release();
      throw error;
    }
  } catch (error) {
    throw fileError(error, { path: shown, what: 'Folder', action: 'create', place: path });
  }
}

export class PreparedFolder {
  /** Absolute. */
  readonly path: string;
  /** The manifest of the last complete run. */
  readonly previous: Manifest | undefined;
  readonly digests: KnownDigests;
  /** The files that this run has written or found unchanged. */
  readonly files = new Map<string, ManifestFile>();
  readonly counts = { written: 0, unchanged: 0 };
  /** Hash states of files that other files begin with, by absolute path. */
  readonly hashes = new Map<string, Promise<Hash>>();
  readonly #options: FolderOptions;
  readonly #lock: FolderLock;
  readonly #staged: StagedFiles;
  /** Staged files whose digests are remembered. */
  readonly #stagedLarge = new Set<string>();
  /** Files of this program that no manifest lists yet. */
  readonly #journal: Set<string>;
  readonly #known: ReadonlyMap<string, ManifestFile>;
  readonly #folders = new Set<string>();

  constructor(path: string, options: FolderOptions, lock: FolderLock, notes: FolderNotes) {
    this.path = path;
    this.previous = notes.previous;
    this.digests = knownDigests(notes.stamps);
    this.#options = options;
    this.#lock = lock;
    this.#staged = new StagedFiles(path);
    this.#journal = notes.journal;
    this.#known = new Map(notes.previous?.files.map((file) => [file.path, file]));
  }

  /** Files of an interrupted run that this run has not written, and new files that were withdrawn. */
  abandoned(): readonly string[] {
    return [...this.#journal].filter((name) => !this.files.has(name) && !this.#known.has(name));
  }

  /** The current path of a file that this run has written or found. */
  currentPath(name: string): string {
    return this.#staged.currentPath(join(this.path, name));
  }

  /** Withdraws files of this run: the previous ones stay. New files are removed at the end. */
  async withdraw(names: Iterable<string>): Promise<void> {
    for (const name of names) {
      this.files.delete(name);
      await this.#staged.discard(join(this.path, name));
    }
  }

  accessOf(secrets: readonly string[] = []): Access {
    return secrets.length > 0 ? this.#options.secret : this.#options.open;
  }

  async put(file: FilePurpose, content: Uint8Array): Promise<void> {
    const found = statsOfSame(join(this.path, file.path), content);
    if (found !== undefined) await this.#setAccess(file, found);
    else {
      await this.#writing(file, async () => {
        const target = { ...(await this.#newFile(file)), size: content.length };
        await createFile(target, ({ handle }) => handle.writeFile(content));
        await this.#setAccess(file);
      });
    }
    const sha256 = createHash('sha256').update(content).digest('hex');
    this.#record(file, content.length, sha256, found === undefined);
  }

  /**
   * Creates a file that takes long to create.
   * @param file its recipe is a digest of all inputs: the same recipe means the same content
   * @param fill writes a file atomically, and returns its SHA-256 in hexadecimal; undefined if the manifest lists the recipe only
   */
  async make(
    file: FilePurpose & { readonly recipe: string },
    fill: (target: NewFile) => Promise<string | undefined>,
  ): Promise<void> {
    const { recipe } = file;
    await this.#writing(file, async (path) => {
      const before = this.#known.get(file.path);
      const isThere = before?.recipe === recipe && (await this.#isSame(path, before));
      const sha256 = isThere ? before.sha256 : await fill(await this.#newFile(file));
      await this.#setAccess(file);
      const current = this.currentPath(file.path);
      await this.#remember(file, current, { sha256, recipe });
      const { size } = await stat(current);
      this.#record(file, size, sha256, !isThere, recipe);
    });
  }

  /** Clones, hard-links or copies a file. @param source absolute path */
  async share(file: FilePurpose, source: string): Promise<void> {
    await this.#writing(file, async (path) => {
      const sha256 = await this.digests.sha256(source);
      const isThere = await this.#isSame(path, { sha256 });
      const { mode } = this.accessOf(file.secrets);
      const shared = isThere
        ? 'unchanged'
        : await shareFile(source, { ...(await this.#newFile(file)), mode });
      if (shared === 'cloned' || shared === 'copied') await this.#setAccess(file);
      const current = this.currentPath(file.path);
      // A hard link to the source has changed its ctime.
      await this.digests.remember(source, { sha256 });
      await this.#remember(file, current, { sha256 });
      const { size } = await stat(current);
      this.#record(file, size, sha256, shared !== 'unchanged');
    });
  }

  /**
   * Renames staged files, writes manifest and checksums, and then removes files of earlier runs. Files to remove are in the
   * journal before the manifest no longer lists them, until they are removed.
   * @param removed paths that the manifest no longer lists
   */
  async finish(manifest: Manifest, removed: readonly string[]): Promise<void> {
    const own = join(this.path, OWN_FOLDER);
    try {
      if (removed.length > 0) await appendFile(join(own, JOURNAL), linesOf(removed), { mode: 0o600 });
      const sha256 = await this.#putOwn(MANIFEST, () => formatManifest(manifest));
      const checked = [...manifest.files, { path: MANIFEST, sha256 }];
      await this.#putOwn(CHECKSUMS, () => formatChecksums(checked));
      await this.#staged.commit();
      for (const name of this.#stagedLarge) {
        const file = this.files.get(name);
        if (file !== undefined) await this.digests.remember(join(this.path, name), file);
      }
      const kept = manifest.files.filter(({ path, recipe }) => recipe !== undefined && !this.files.has(path));
      // Asked for, so that the next run knows them, too.
      for (const { path } of kept) await this.digests.recipe(join(this.path, path)).catch(() => undefined);
      const stamps = `${JSON.stringify(await this.digests.save(), undefined, 1)}\n`;
      await writeFileAtomically(join(own, STAMPS), stamps, { mode: 0o600 });
      for (const file of removed) await removeFile(this.path, file);
      for (const { path } of manifest.files) this.#journal.delete(path);
      for (const file of removed) this.#journal.delete(file);
      await writeFileAtomically(join(own, JOURNAL), linesOf([...this.#journal]), { mode: 0o600 });
    } catch (error) {
      const { shown } = this.#options;
      throw fileError(error, { path: shown, what: 'Folder', action: 'write', place: join(own, JOURNAL) });
    }
  }

  /** Releases the lock. Staged files that have not been renamed are removed. */
  async release(): Promise<void> {
    await this.#staged.discardAll();
    this.#lock.release();
  }

  /** Writes the manifest or the checksums, unless they are unchanged. Returns the SHA-256. */
  async #putOwn(name: string, format: () => Iterable<string>): Promise<string> {
    const path = join(this.path, name);
    const hash = createHash('sha256');
    for (const block of blocksOf(format())) hash.update(block);
    const sha256 = hash.digest('hex');
    const earlier = await hashFile(path).catch(() => undefined);
    if (earlier?.digest('hex') !== sha256) {
      const { mode } = this.#options.open;
      await writeFileAtomically(await this.#staged.stage(path), blocksOf(format()), { mode });
    }
    return sha256;
  }

  /** Creates the folder of a file, adds a new name to the journal, and then passes the final path to `write`. */
  async #writing({ path: name }: FilePurpose, write: (path: string) => Promise<void>): Promise<void> {
    const path = join(this.path, name);
    const { shown } = this.#options;
    try {
      if (!this.#folders.has(dirname(path))) {
        await makeFolder(dirname(path), join(shown, dirname(name)));
        this.#folders.add(dirname(path));
      }
      const isListed = this.#known.has(name) || this.#journal.has(name);
      if (!isListed && (await lstat(path).catch(() => undefined)) === undefined) {
        this.#journal.add(name);
        await appendFile(join(this.path, OWN_FOLDER, JOURNAL), linesOf([name]), { mode: 0o600 });
      }
      await write(path);
    } catch (error) {
      throw fileError(error, { path: join(shown, name), what: 'File', action: 'write', place: path });
    }
  }

  /** The file is private while it is written; group permissions are added with the group. */
  async #newFile(file: FilePurpose): Promise<NewFile> {
    const { group, mode } = this.accessOf(file.secrets);
    const path = join(this.path, file.path);
    return {
      path: this.#options.isStaged(file.path) ? await this.#staged.stage(path) : path,
      shownPath: join(this.#options.shown, file.path),
      existing: 'replace',
      mode: group === undefined ? mode : mode & 0o700,
    };
  }

  /** @param known what is at the current path, if the caller knows it */
  async #setAccess(file: FilePurpose, known?: Stats): Promise<void> {
    const path = this.currentPath(file.path);
    const { mode, group } = this.accessOf(file.secrets);
    try {
      const stats = known ?? (await stat(path));
      if (group !== undefined && stats.gid !== group) await chown(path, -1, group);
      if (needsMode(stats, mode)) await chmod(path, mode);
    } catch (error) {
      if (errorCode(error) !== 'EPERM') throw error;
      throw new CliError(`Cannot set permissions of ${join(this.#options.shown, file.path)}`, {
        code: 'ERR_FILE_ACCESS',
        hint: 'use a group that you belong to, or run the command as root',
        cause: error,
      });
    }
  }

  async #remember({ path: name }: FilePurpose, current: string, known: FileKnowledge): Promise<void> {
    await this.digests.remember(current, known);
    if (current !== join(this.path, name)) this.#stagedLarge.add(name);
  }

  /** Whether the file has this digest; without one, whether it is unchanged since it was made from this recipe. */
  async #isSame(path: string, { sha256, recipe }: FileKnowledge): Promise<boolean> {
    const stats = await lstat(path).catch(() => undefined);
    if (stats?.isFile() !== true) return false;
    return sha256 === undefined
      ? (await this.digests.recipe(path)) === recipe
      : (await this.digests.sha256(path)) === sha256;
  }

  #record(
    { host, kind, path, secrets = [] }: FilePurpose,
    size: number,
    sha256: string | undefined,
    isWritten: boolean,
    recipe?: string,
  ): void {
    this.counts[isWritten ? 'written' : 'unchanged'] += 1;
    const known = this.#known.get(path);
    const record = {
      path,
      kind,
      size,
      ...(sha256 !== undefined && { sha256 }),
      mode: this.accessOf(secrets).mode.toString(8).padStart(4, '0'),
      ...(host !== undefined && { host }),
      ...(secrets.length > 0 && { secrets }),
      ...(recipe !== undefined && { recipe }),
    };
    // One object for both runs: a folder of many hosts contains many files.
    const current = isDeepStrictEqual(known, record) && known !== undefined ? known : record;
    this.files.set(current.path, current);
  }
}

/** The permissions of hard links are not changed: they are shared with another file. */
function needsMode({ mode, nlink }: Stats, wanted: number): boolean {
  return hasPermissions() && (mode & 0o777) !== wanted && nlink === 1;
}

/** The text in blocks: that of a folder of many hosts is too long for one string. */
function* blocksOf(lines: Iterable<string>): Generator<Uint8Array> {
  let block = '';
  for (const line of lines) {
    block += line;
    if (block.length < BLOCK) continue;
    yield Buffer.from(block);
    block = '';
  }
  yield Buffer.from(block);
}

const BLOCK = 64 * 1024;

function linesOf(paths: readonly string[]): string {
  return paths.map((path) => `${path}\n`).join('');
}

/** Removes the file, and folders that are then empty. */
async function removeFile(root: string, file: string): Promise<void> {
  await unlink(join(root, file)).catch((error: unknown) => {
    if (errorCode(error) !== 'ENOENT') throw error;
  });
  for (let folder = dirname(file); folder !== '.'; folder = dirname(folder)) {
    try {
      await rmdir(join(root, folder));
    } catch {
      return; // it contains other files
    }
  }
}
