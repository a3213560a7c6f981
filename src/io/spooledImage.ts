/** Images that come only once, from a pipe or a server that sends everything or nothing: read from a temporary file. */

import { CliError } from '../errors.ts';
import { type OpenImage, readFrom } from './imageBytes.ts';
import { spoolToFile } from './spool.ts';

/**
 * @param name for messages, e.g. `standard input`
 * @throws CliError where nothing comes, or where there is no room for it
 */
export async function openSpooled(
  name: string,
  parts: AsyncIterable<unknown> & { readonly isTTY?: boolean },
): Promise<OpenImage> {
  if (parts.isTTY === true) {
    throw new CliError(`No ISO image comes from ${name}`, { hint: 'redirect it: … - < coreos.iso' });
  }
  const { handle, size } = await spoolToFile(parts);
  return { kind: 'spool', ...readFrom(handle, { name, size }) };
}
