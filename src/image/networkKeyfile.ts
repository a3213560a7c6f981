/** Whether NetworkManager would take a keyfile, as far as that can be told without knowing the kinds of connections. */

import { FormatError } from '../core/errors.ts';
import { parseKeyfile } from '../formats/keyfile.ts';

/** What is wrong with it, as a clause; undefined where nothing is. */
export function findKeyfileProblem(data: Uint8Array): string | undefined {
  try {
    const sections = parseKeyfile(new TextDecoder('utf-8', { fatal: true }).decode(data));
    return sections.some(({ name }) => name === 'connection') ? undefined : 'it has no section [connection]';
  } catch (error) {
    return error instanceof FormatError ? error.message : 'it is not UTF-8 text';
  }
}
