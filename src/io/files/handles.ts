/** Reading and writing through file handles, where the system may do less than it was asked for. */

import { constants, readSync, writeSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';

/** A directory opens without complaint on Linux, and a pipe only when somebody writes to it. */
export async function openForReading(path: string): Promise<FileHandle> {
  const handle = await open(path, constants.O_RDONLY);
  if (!(await handle.stat()).isDirectory()) return handle;
  await handle.close();
  throw Object.assign(new Error('is a directory'), { code: 'EISDIR' });
}

/** How many bytes of `target` were filled: fewer than it has where the file ends. */
export async function readUpTo(handle: FileHandle, target: Uint8Array, offset: number): Promise<number> {
  let filled = 0;
  while (filled < target.length) {
    const { bytesRead } = await handle.read(target, filled, target.length - filled, offset + filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return filled;
}

/** `readUpTo` that is done when it returns. */
export function readUpToNow({ fd }: FileHandle, target: Uint8Array, offset: number): number {
  let filled = 0;
  while (filled < target.length) {
    const count = readSync(fd, target, filled, target.length - filled, offset + filled);
    if (count === 0) break;
    filled += count;
  }
  return filled;
}

/** All of `bytes` at `position`. */
export async function writeAll(handle: FileHandle, bytes: Uint8Array, position: number): Promise<void> {
  let written = 0;
  while (written < bytes.length) {
    const result = await handle.write(bytes, written, bytes.length - written, position + written);
    written += result.bytesWritten;
  }
}

/** All chunks, each behind the one before; the first one at `position`. */
export async function writeChunks(
  handle: FileHandle,
  chunks: AsyncIterable<Uint8Array>,
  position = 0,
): Promise<void> {
  let end = position;
  for await (const chunk of chunks) {
    await writeAll(handle, chunk, end);
    end += chunk.length;
  }
}

/**
 * `writeAll` that is done when it returns.
 * @param position `null`: behind what was written last, as a pipe has no positions
 */
export function writeAllNow(fd: number, bytes: Uint8Array, position: number | null): void {
  let written = 0;
  while (written < bytes.length) {
    const place = position === null ? null : position + written;
    written += writeSync(fd, bytes, written, bytes.length - written, place);
  }
}
