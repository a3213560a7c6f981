/** Reads an initramfs from a path or standard input. It may be larger than memory. */

import { type ByteSource, piecesOf } from '../../formats/byteFeed.ts';
import { sourceOfImage } from '../../image/initrd.ts';
import { type ByteInputFile, openInput } from '../../io/files/byteInput.ts';
import type { Io } from '../../io/io.ts';
import { openSpooled } from '../../imagefile/spool.ts';
import { nameInput } from './nameInput.ts';
import { refuseIso } from './swappedInputs.ts';

/**
 * Opens an initramfs, calls `use` and closes it.
 * @param path undefined for standard input
 * @throws CliError with the path if it cannot be read or is not an initramfs
 */
export async function withInitrd<T>(
  path: string | undefined,
  io: Io,
  use: (source: ByteSource) => Promise<T>,
): Promise<T> {
  return withInput(path, io, (input) => use(input.bytes()));
}

/**
 * Like {@link withInitrd}, but `use` can read the bytes several times, one after the other. Input from a pipe is stored
 * in a temporary file.
 */
export async function withRepeatableInitrd<T>(
  path: string | undefined,
  io: Io,
  use: (open: () => ByteSource) => Promise<T>,
): Promise<T> {
  return withInput(path, io, async (input, name) => {
    if (input.isFile) return use(() => input.bytes());
    const spooled = await openSpooled(name, piecesOf(input.bytes()));
    try {
      return await use(() => sourceOfImage(spooled));
    } finally {
      await spooled.close();
    }
  });
}

async function withInput<T>(
  path: string | undefined,
  io: Io,
  use: (input: ByteInputFile, name: string) => Promise<T>,
): Promise<T> {
  const name = path ?? 'standard input';
  await refuseIso(path, io);
  const input = await openInput({ path, what: 'Initramfs' }, io);
  try {
    return await nameInput(name, () => use(input, name));
  } finally {
    await input.close();
  }
}
