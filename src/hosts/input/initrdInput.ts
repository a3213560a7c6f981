/** Reads an initramfs from a path or standard input. It may be larger than memory. */

import type { ByteSource } from '../../formats/byteReader.ts';
import { openInput } from '../../io/files/byteInput.ts';
import type { Io } from '../../io/io.ts';
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
  const name = path ?? 'standard input';
  await refuseIso(path, io);
  const input = await openInput({ path, what: 'Initramfs' }, io);
  try {
    return await nameInput(name, () => use(input.bytes()));
  } finally {
    await input.close();
  }
}
