/** The small text files that flags of `render` name. */

import { CliError } from '../../core/errors.ts';
import { readUserFile } from '../../io/files/files.ts';
import type { Io } from '../../io/io.ts';

/** Whatever is larger is not the file that was meant, and an Ignition config could hardly hold it. */
const maxBytes = 1024 * 1024;

/** The text of a UTF-8 file; `what` begins a sentence, as in `Pull secret not found`. */
export async function readText(path: string, io: Io, what: string): Promise<string> {
  const bytes = await readUserFile(path, io, { maxBytes, what });
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (cause) {
    throw new CliError(`${what} is not a text in UTF-8: ${path}`, { hint: 'is this the right file?', cause });
  }
}
