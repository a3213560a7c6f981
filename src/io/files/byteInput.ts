/** Input that is read from start to end and never loaded as a whole: files, pipes, standard input. */

import type { FileHandle } from 'node:fs/promises';
import { resolve } from 'node:path';
import { type ByteSource, sourceOf } from '../../formats/byteReader.ts';
import { emptyPathError, fileError, stdinChunks } from './fileErrors.ts';
import { statsOf } from './fileStates.ts';
import { openForReading, openPipe } from './handles.ts';
import type { Io } from '../io.ts';

/** The code that opens an input closes it. */
export interface ByteInputFile {
  /** Whether it can be read more than once. */
  readonly isFile: boolean;
  /** The bytes of a file from its start; of other inputs, the unread bytes. */
  bytes(): ByteSource;
  close(): Promise<void>;
}

export interface InputName {
  /** Undefined for standard input. */
  readonly path: string | undefined;
  /** Its name in messages, e.g. `Initramfs`. */
  readonly what: string;
}

/** Bytes per read. */
const PIECE_SIZE = 256 * 1024;

export async function openInput(
  name: InputName,
  io: Pick<Io, 'stdin' | 'cwd' | 'inputs'>,
): Promise<ByteInputFile> {
  const { path, what } = name;
  if (path === undefined) return openStream(io.stdin);
  if (path === '') throw emptyPathError(`${what}: the path is empty`);
  const failed = (error: unknown): unknown => fileError(error, { path, what, action: 'read' });
  try {
    const place = resolve(io.cwd, path);
    if ((await statsOf(place))?.isFIFO() === true) {
      const pipe = openPipe(place);
      return { ...openStream(pipe), close: async () => void pipe.destroy() };
    }
    const handle = await openForReading(place);
    const stats = await handle.stat();
    io.inputs?.add(handle.fd);
    return {
      isFile: stats.isFile(),
      bytes: () => bytesOf(handle, stats.isFile() ? stats.size : undefined, failed),
      close: () => handle.close(),
    };
  } catch (error) {
    throw failed(error);
  }
}

function openStream(stream: AsyncIterable<unknown>): ByteInputFile {
  const source = sourceOf(stdinChunks(stream));
  return { isFile: false, bytes: () => source, close: async () => undefined };
}

/** All pieces share one buffer. An input without a size is a pipe or a device, which is not seekable. */
function bytesOf(
  handle: FileHandle,
  size: number | undefined,
  failed: (error: unknown) => unknown,
): ByteSource {
  const buffer = Buffer.allocUnsafeSlow(PIECE_SIZE);
  let offset = 0;
  return {
    next: async () => {
      const position = size === undefined ? null : offset;
      const { bytesRead } = await handle.read(buffer, 0, PIECE_SIZE, position).catch((error: unknown) => {
        throw failed(error);
      });
      offset += bytesRead;
      return bytesRead === 0 ? undefined : buffer.subarray(0, bytesRead);
    },
    ...(size !== undefined && {
      skip: (most: number) => {
        const length = Math.max(0, Math.min(most, size - offset));
        offset += length;
        return length;
      },
    }),
  };
}

/** Passes the same bytes to `write`: each piece is written before the next one is read. */
export function copyingSource(source: ByteSource, write: (piece: Uint8Array) => Promise<void>): ByteSource {
  let writing = Promise.resolve();
  return {
    next: async () => {
      await writing;
      const piece = await source.next();
      if (piece !== undefined) {
        writing = write(piece);
        writing.catch(() => undefined); // rethrown when it is awaited
      }
      return piece;
    },
  };
}
