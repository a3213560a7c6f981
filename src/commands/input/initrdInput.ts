/** The initramfs that a command is given: a path, or standard input. It may be larger than memory. */

import type { ByteSource } from '../../formats/byteSource.ts';
import { readInitrdFrom } from '../../image/initrd.ts';
import { openInput } from '../../io/byteInput.ts';
import type { Io } from '../../io/io.ts';
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
