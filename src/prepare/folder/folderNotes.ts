/**
 * What earlier runs have left in a prepared folder, besides the files for serving: the manifest, and in `.ironic-coreos`
 * the digests of large files and the journal.
 */

import { readdir, readFile, truncate, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { CliError, FormatError } from '../../core/errors.ts';
import { isInside, type Manifest, parseManifest } from '../../hosts/artifacts/manifest.ts';
import { CHECKSUMS, MANIFEST } from '../../hosts/artifacts/servedPaths.ts';
import { errorCode } from '../../io/files/fileErrors.ts';
import type { StampedDigest } from '../../io/files/fileStamp.ts';

/** In the folder, and not for serving. */
export const OWN_FOLDER = '.ironic-coreos';
/** Files of it. */
export const STAMPS = 'stamps.json';
export const JOURNAL = 'journal';
/** Renames that have begun. */
export const COMMIT = 'commit';

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
export async function readIfThere(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}
