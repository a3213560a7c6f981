/** Reads an initramfs from a path or standard input. It may be larger than memory. */

import { FormatError, located, only } from '../../core/errors.ts';
import type { ByteSource } from '../../formats/byteReader.ts';
import { openInput } from '../../io/files/byteInput.ts';
import type { Io } from '../../io/io.ts';
import { refuseOtherFile } from './contentKind.ts';

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
  const input = await openInput({ path, what: 'Initramfs' }, io);
  try {
    return await nameInitrd(path, io, () => use(input.bytes()));
  } finally {
    await input.close();
  }
}

/** The result of `read`. @throws CliError that names what the file is, or that begins with its name */
export async function nameInitrd<T>(path: string | undefined, io: Io, read: () => Promise<T>): Promise<T> {
  return located({ subject: `${path ?? 'standard input'}:` }, () =>
    read().catch(
      only(FormatError, async (error) => {
        await refuseOtherFile('an initramfs', path, io);
        throw error;
      }),
    ),
  );
}
