/** Files out of the initramfs that a command is given: a path, or standard input. */

import { readInitrd } from '../image/initrd.ts';
import { readStdin, readUserFile } from '../io/files.ts';
import type { Io } from '../io/io.ts';
import { nameInput } from './nameInput.ts';

const INITRD = { what: 'initramfs', maxBytes: 1024 ** 3 };

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
  const bytes = await (path === undefined ? readStdin(io, INITRD) : readUserFile(path, io, INITRD));
  return nameInput(path ?? 'standard input', () => readInitrd(bytes, { wants }));
}
