/** What an image is to those who read it, wherever it comes from; and one that is read from an open file. */

import type { FileHandle } from 'node:fs/promises';
import { CliError } from '../core/errors.ts';
import { type ByteRange, checkRange, type ImageBytes, readerOf } from '../image/overlay.ts';
import { fileError } from '../io/files/fileErrors.ts';
import { readUpTo, readUpToNow } from '../io/files/handles.ts';

/** The bytes of an open file or device. */
export interface OpenFile extends ImageBytes {
  readonly isDevice?: boolean;
  /** As it may be shown: the path that the user gave, or the URL without what is secret in it. */
  readonly name: string;
  /** Absolute, of a file or a device. */
  readonly path?: string;
  /**
   * Lends the same bytes to be read once, from start to end, where that takes less than reading them anywhere; only those
   * of `range`, if it is given, at the places that they have in the image.
   */
  readonly inOrder?: <T>(use: (bytes: ImageBytes) => Promise<T>, range?: ByteRange) => Promise<T>;
  /** Synchronous `readInto`; only for images with fast access, such as files. */
  readonly readNow?: (target: Uint8Array, offset: number) => void;
  /** Of a file: throws CliError where it has been changed or replaced since it was opened. */
  readonly checkUnchanged?: () => Promise<void>;
  close(): Promise<void>;
}

/** An open image; only its owner closes it. */
export interface OpenImage extends OpenFile {
  /** A `spool` is a temporary file that has no name. */
  readonly kind: 'file' | 'device' | 'spool' | 'remote';
}

/** The same image, which cannot be read any more once the signal is aborted. */
export function abortable(image: OpenImage, signal: AbortSignal): OpenImage {
  const { inOrder, readNow, size } = image;
  const checked = (bytes: ImageBytes): ImageBytes =>
    readerOf(size, async (target, offset) => {
      signal.throwIfAborted();
      await bytes.readInto(target, offset);
    });
  return {
    ...image,
    ...checked(image),
    ...(inOrder && { inOrder: (use, range) => inOrder((bytes) => use(checked(bytes)), range) }),
    ...(readNow && {
      readNow: (target, offset) => {
        signal.throwIfAborted();
        readNow(target, offset);
      },
    }),
  };
}

interface Contents {
  /** For messages. */
  readonly name: string;
  /** Bytes. */
  readonly size: number;
}

/** The content of an open file or device; the reader closes it. */
export function readFrom(handle: FileHandle, { name, size }: Contents): OpenFile {
  const readInto = async (target: Uint8Array, offset: number): Promise<void> => {
    const filled = await readUpTo(handle, target, offset).catch((error: unknown) => {
      throw readError(error, name);
    });
    if (filled < target.length) throw shorterError(name);
  };
  return { name, ...readerOf(size, readInto), close: () => handle.close() };
}

/** The most bytes that are read synchronously, which takes less time than another thread needs to start. */
const SMALL_READ = 256 * 1024;

/** The content of an open file. Small reads are synchronous: a device may block for seconds, a file seldom does. */
export function readFromFile(handle: FileHandle, { name, size }: Contents): OpenFile {
  const readNow = (target: Uint8Array, offset: number): void => {
    checkRange({ size }, offset, target.length);
    try {
      if (readUpToNow(handle, target, offset) < target.length) throw shorterError(name);
    } catch (error) {
      throw readError(error, name);
    }
  };
  const file = readFrom(handle, { name, size });
  const readInto = async (target: Uint8Array, offset: number): Promise<void> => {
    if (target.length > SMALL_READ) return file.readInto(target, offset);
    readNow(target, offset);
  };
  return { ...file, ...readerOf(size, readInto), readNow };
}

function readError(error: unknown, name: string): unknown {
  return fileError(error, { path: name, what: 'ISO image', action: 'read' });
}

function shorterError(name: string): CliError {
  return new CliError(`${name} was truncated while it was being read`, { code: 'ERR_IMAGE_CHANGED' });
}
