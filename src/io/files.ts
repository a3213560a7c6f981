/** The user's small files, read and written as a whole. */

import { constants } from 'node:fs';
import { type FileHandle, open, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { CliError } from '../errors.ts';
import { fileError } from './fileErrors.ts';
import { openForReading } from './handles.ts';
import type { Io } from './io.ts';
import { createFile } from './newFile.ts';

/** What a file is to the user, and how much of it is still plausible. */
export interface Expected {
  /** Begins a sentence, e.g. `Ignition config`. */
  readonly what: string;
  readonly maxBytes: number;
}

/**
 * A whole file; pipes such as `<(…)` work too. `-` is a file name like any other here.
 * @throws CliError in the user's terms
 */
export async function readUserFile(
  path: string,
  io: Pick<Io, 'cwd'>,
  expected: Expected,
): Promise<Uint8Array> {
  if (path === '')
    throw new CliError(`${expected.what}: the path is empty`, { hint: 'give the path of a file' });
  try {
    const handle = await openForReading(resolve(io.cwd, path));
    // The stream closes the handle, also when it is left early.
    return await readAll(handle.createReadStream(), { ...expected, what: path });
  } catch (error) {
    throw fileError(error, { path, what: expected.what, action: 'read' });
  }
}

/** All of standard input. */
export async function readStdin(io: Pick<Io, 'stdin'>, expected: Expected): Promise<Uint8Array> {
  return readAll(io.stdin, { ...expected, what: `${expected.what} on standard input` });
}

async function readAll(stream: AsyncIterable<unknown>, { what, maxBytes }: Expected): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of stream) {
    const bytes = chunk instanceof Uint8Array ? chunk : Buffer.from(String(chunk));
    size += bytes.length;
    if (size > maxBytes) {
      throw new CliError(`${what} is too large: more than ${maxBytes} bytes`, {
        hint: 'is this the right file?',
      });
    }
    chunks.push(bytes);
  }
  return Buffer.concat(chunks);
}

/** What to write; chunks are taken as they come. */
export type Content = string | Uint8Array | AsyncIterable<Uint8Array>;

export interface WriteOptions {
  /** Permission bits; without, those of the file that is replaced, or what the umask gives. */
  readonly mode?: number;
  /** Refuses to replace a file. */
  readonly noClobber?: boolean;
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
  { mode, noClobber = false }: WriteOptions = {},
): Promise<void> {
  const special = noClobber ? undefined : await openSpecial(path);
  if (special === undefined) {
    const existing = noClobber ? 'refuse' : 'replace';
    await createFile({ path: resolve(path), shownPath: path, existing, mode }, ({ handle }) =>
      writeContent(handle, content),
    );
    return;
  }
  try {
    await writeContent(special, content);
  } catch (error) {
    throw fileError(error, { path, what: 'Output', action: 'write' });
  } finally {
    await special.close();
  }
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
