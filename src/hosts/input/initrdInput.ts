/** The initramfs that a command is given: a path, or standard input. It may be larger than memory. */

import type { ByteSource } from '../../formats/byteFeed.ts';
import { readInitrdFrom, sourceOfImage } from '../../image/initrd.ts';
import { openInput } from '../../io/files/byteInput.ts';
import type { Io } from '../../io/io.ts';
import { openSpooled } from '../../io/files/spool.ts';
import { nameInput } from './nameInput.ts';

/**
 * The regular files that are wanted, by path.
 * @param path undefined for standard input
 * @throws CliError with the path, where it cannot be read or is no initramfs
 */
export async function readInitrdInput(
  path: string | undefined,
  wants: (member: string) => boolean,
  io: Io,
): Promise<Map<string, Uint8Array>> {
  return withInitrd(path, io, (source) => readInitrdFrom(source, { wants }));
}

/**
 * Lends the bytes of an initramfs.
 * @param path undefined for standard input
 * @throws CliError with the path, where it cannot be read or is no initramfs
 */
export async function withInitrd<T>(
  path: string | undefined,
  io: Io,
  use: (source: ByteSource) => Promise<T>,
): Promise<T> {
  const input = await openInput({ path, what: 'Initramfs' }, io);
  try {
    return await nameInput(path ?? 'standard input', () => use(input.bytes()));
  } finally {
    await input.close();
  }
}

/**
 * Lends the bytes of an initramfs as often as they are asked for, one time after the other: what comes from a pipe is
 * kept in a temporary file meanwhile.
 * @param path undefined for standard input
 * @throws CliError with the path, where it cannot be read or is no initramfs
 */
export async function withRepeatableInitrd<T>(
  path: string | undefined,
  io: Io,
  use: (open: () => ByteSource) => Promise<T>,
): Promise<T> {
  const name = path ?? 'standard input';
  const input = await openInput({ path, what: 'Initramfs' }, io);
  try {
    if (input.isFile) return await nameInput(name, () => use(() => input.bytes()));
    const spooled = await openSpooled(name, piecesOf(input.bytes()));
    try {
      return await nameInput(name, () => use(() => sourceOfImage(spooled)));
    } finally {
      await spooled.close();
    }
  } finally {
    await input.close();
  }
}

async function* piecesOf(source: ByteSource): AsyncGenerator<Uint8Array, void> {
  for (let piece = await source.next(); piece !== undefined; piece = await source.next()) yield piece;
}
