/** The key with which `serve` signs URLs. */

import type { Io } from '../../io/io.ts';
import { readSecretFile } from '../../io/files/secretFile.ts';

const MAX_BYTES = 64 * 1024;

/** The text of the file without surrounding whitespace. @throws CliError if it cannot be read */
export async function readSigningKey(name: string, io: Io): Promise<Uint8Array> {
  return Buffer.from(
    (await readSecretFile(name, io, { what: 'Key (--key-file)', maxBytes: MAX_BYTES })).trim(),
  );
}
