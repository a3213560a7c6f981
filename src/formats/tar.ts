/**
 * The files of a tar archive, read by tar-stream. Refused are links, devices and pipes: what they stand for cannot be
 * carried to where the files go. Directories are made by need, modes and times are not kept.
 *
 * tar-stream is not needed by most commands: import this file only where an archive is read.
 */

import { Readable } from 'node:stream';
import { extract } from 'tar-stream';
import { FormatError } from '../errors.ts';

/** Kinds of members that say something about others, or only make a folder. */
const SILENT: ReadonlySet<unknown> = new Set(['directory', 'pax-header', 'pax-global-header', null]);

/**
 * By path, as it is in the archive; a later file of the same path wins.
 * @param bytes the whole archive, not compressed
 * @throws FormatError where it is damaged, or has members that are no files
 */
export async function readArchiveFiles(bytes: Uint8Array): Promise<Map<string, Uint8Array>> {
  const files = new Map<string, Uint8Array>();
  const members = Readable.from([bytes]).pipe(extract());
  try {
    for await (const member of members) {
      const { name, type } = member.header;
      const data = await readMember(member);
      if (type === 'file' || type === 'contiguous-file') files.set(name, data);
      else if (!SILENT.has(type))
        throw new FormatError(`${name} is a ${type}`, { hint: 'only files can be taken over' });
    }
  } catch (error) {
    if (error instanceof FormatError) throw error;
    throw new FormatError('it is not a tar archive, or a damaged one', { cause: error });
  }
  if (files.size === 0) throw new FormatError('it has no files');
  return files;
}

async function readMember(member: AsyncIterable<unknown>): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of member) if (chunk instanceof Uint8Array) chunks.push(chunk);
  return Buffer.concat(chunks);
}
