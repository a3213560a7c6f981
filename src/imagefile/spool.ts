/** Buffers input that can be read only once, such as a pipe, in an unnamed temporary file, and reads images from it. */

import { randomBytes } from 'node:crypto';
import { type FileHandle, open, unlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CliError } from '../core/errors.ts';
import { fileError, stdinChunks } from '../io/files/fileErrors.ts';
import { writeAll } from '../io/files/handles.ts';
import type { Io } from '../io/io.ts';
import { imageOf, type OpenImage } from './openImage.ts';

const SPACE_HINT = 'set TMPDIR to another folder with enough space';

/**
 * Writes all parts to a file in the folder for temporary files. The file is unlinked before the first write, so no file remains
 * when the program ends.
 * @param name for messages
 * @param announced bytes of all parts, if known
 * @throws CliError if the disk has not enough space; errors of the source are passed on
 */
export async function openSpooled(
  name: string,
  parts: AsyncIterable<Uint8Array>,
  announced = 0,
): Promise<OpenImage> {
  const handle = await openNameless();
  try {
    let size = 0;
    for await (const bytes of parts) {
      await writeAll(handle, bytes, size).catch((error: unknown) => {
        throw spoolError(error, announced);
      });
      size += bytes.length;
    }
    return imageOf(handle, { name, size });
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/** An empty unnamed file in the folder for temporary files. Throws CliError if the disk is full. */
export async function openNameless(): Promise<FileHandle> {
  const path = join(tmpdir(), `.ironic-coreos.${randomBytes(6).toString('hex')}.tmp`);
  try {
    const handle = await open(path, 'wx+', 0o600);
    await unlink(path);
    return handle;
  } catch (error) {
    throw spoolError(error);
  }
}

/**
 * An error of a temporary file as a CliError; other errors unchanged.
 * @param size bytes of the complete file, if known
 */
function spoolError(error: unknown, size?: number): unknown {
  const described = fileError(error, {
    path: `a temporary file in ${tmpdir()}`,
    what: 'Temporary file',
    action: 'write',
    place: join(tmpdir(), 'file'),
    size,
  });
  if (!(described instanceof CliError)) return described;
  return new CliError(described.message, {
    code: described.code,
    hint: SPACE_HINT,
    cause: error,
  });
}

/**
 * @param what begins a sentence, e.g. `Initramfs`
 * @throws CliError if standard input is a terminal, or if the disk is full
 */
export async function openStdin(stdin: Io['stdin'], what: string): Promise<OpenImage> {
  if (stdin.isTTY === true) {
    throw new CliError(`${what} missing: standard input is a terminal`, {
      code: 'ERR_FILE_MISSING',
      hint: 'redirect a file to standard input: < FILE',
    });
  }
  return openSpooled('standard input', stdinChunks(stdin));
}
