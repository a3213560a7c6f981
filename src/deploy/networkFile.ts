/** Files with network data, of which only the receiver knows what is in them. */

import { CliError, FormatError } from '../core/errors.ts';
import { parseYaml } from '../formats/yaml.ts';
import { readUserFile } from '../io/files/files.ts';
import type { Io } from '../io/io.ts';

/**
 * The text of a YAML or JSON file that holds a mapping, as the receivers of both kinds of network data demand.
 * @throws CliError
 */
export async function readMapping(file: string, what: string, io: Io): Promise<string> {
  const bytes = await readUserFile(file, io, { what, maxBytes: 1024 * 1024 });
  const text = Buffer.from(bytes).toString('utf8');
  const value = nameFile(file, () => parseYaml(text).value);
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return text;
  throw new CliError(`${file}: ${what} is a YAML mapping, and this is none`, {
    hint: 'is this the right file?',
  });
}

function nameFile<T>(file: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof FormatError)) throw error;
    throw new CliError(`${file}: ${error.message}`, {
      cause: error,
      ...(error.hint && { hint: error.hint }),
    });
  }
}
