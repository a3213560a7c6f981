/** Files that are written as a whole, or not at all. */

import { constants } from 'node:fs';
import { type FileHandle, open, readFile, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { fileError } from './fileErrors.ts';
import { createFile } from './newFile.ts';
import { allowsMore } from './platformFiles.ts';

/** What to write; chunks are taken as they come. */
export type Content = string | Uint8Array | AsyncIterable<Uint8Array>;

export interface WriteOptions {
  /** Permission bits; without, those of the file that is replaced, or what the umask gives. */
  readonly mode?: number;
  /** Refuses to replace a file. */
  readonly noClobber?: boolean;
  /** The path as the user gave it, for messages. */
  readonly shownPath?: string;
}

/**
 * Writes a file that appears complete or not at all. A symbolic link is followed, so that it stays one; a device or a
 * pipe, which cannot be replaced, is written to directly.
 * @param path absolute, or relative to the process
 * @throws CliError in the user's terms
 */
export async function writeFileAtomically(
  path: string,
  content: Content,
  { mode, noClobber = false, shownPath = path }: WriteOptions = {},
): Promise<void> {
  const special = noClobber ? undefined : await openSpecial(path);
  if (special === undefined) {
    const existing = noClobber ? 'refuse' : 'replace';
    await createFile({ path: resolve(path), shownPath, existing, mode }, ({ handle }) =>
      writeContent(handle, content),
    );
    return;
  }
  try {
    await writeContent(special, content);
  } catch (error) {
    throw fileError(error, { path: shownPath, what: 'Output', action: 'write' });
  } finally {
    await special.close();
  }
}

/**
 * The same, unless the file is already so; then it keeps its times. A file that others can read is written anew where
 * `mode` does not let them. Tells whether it was written.
 * @throws CliError in the user's terms
 */
export async function writeIfChanged(
  path: string,
  content: Uint8Array,
  options: WriteOptions = {},
): Promise<boolean> {
  if (await holds(path, content, options)) return false;
  await writeFileAtomically(path, content, options);
  return true;
}

async function holds(path: string, content: Uint8Array, { mode = 0o777 }: WriteOptions): Promise<boolean> {
  const stats = await stat(path).catch(() => undefined);
  if (stats?.isFile() !== true || stats.size !== content.length || allowsMore(stats, mode)) return false;
  const present = await readFile(path).catch(() => undefined);
  return present?.equals(content) === true;
}

/** Open for writing, where there is something under the name that is neither a file nor a folder. */
async function openSpecial(path: string): Promise<FileHandle | undefined> {
  const stats = await stat(path).catch(() => undefined);
  if (stats === undefined || stats.isFile() || stats.isDirectory()) return undefined;
  return open(path, constants.O_WRONLY).catch((error: unknown) => {
    throw fileError(error, { path, what: 'Output', action: 'write' });
  });
}

async function writeContent(handle: FileHandle, content: Content): Promise<void> {
  if (typeof content === 'string' || content instanceof Uint8Array) {
    await handle.writeFile(content);
    return;
  }
  for await (const chunk of content) await handle.writeFile(chunk);
}
