/** Reads and writes through file handles, and handles short reads and writes. */

import { constants, openSync, writeSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { Socket } from 'node:net';
import { systemError } from './fileErrors.ts';

/** Rejects directories, which Linux opens without an error. A pipe opens also when it has no writer; Windows has no such flag. */
export async function openForReading(path: string): Promise<FileHandle> {
  const handle = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  if (!(await handle.stat()).isDirectory()) return handle;
  await handle.close();
  throw systemError('EISDIR');
}

/** The bytes of a named pipe, or of one of the shell: `<(…)`. No thread waits for the program that writes to it. */
export function openPipe(path: string, signal?: AbortSignal): Socket {
  const fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  return new Socket({ fd, readable: true, writable: false, ...(signal !== undefined && { signal }) });
}

/** Returns the number of bytes read into `target`: fewer at the end of the file. */
export async function readUpTo(handle: FileHandle, target: Uint8Array, offset: number): Promise<number> {
  let filled = 0;
  while (filled < target.length) {
    const { bytesRead } = await handle.read(target, filled, target.length - filled, offset + filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
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

export function writeAllNow(fd: number, bytes: Uint8Array, position: number): void {
  let written = 0;
  while (written < bytes.length) {
    written += writeSync(fd, bytes, written, bytes.length - written, position + written);
  }
}
