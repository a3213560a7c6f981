/**
 * Decompresses a downloaded file to another file, in little memory. The format is detected from the content, not from the
 * name. The file must contain exactly one compressed file: data after it is an error (CVE-2021-20319).
 */

import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { CliError, FormatError, replaceFormatError } from '../core/errors.ts';
import { hasMore, inputOf, sourceOf } from '../formats/byteFeed.ts';
import { compressionAt, unpackMember } from '../formats/compression.ts';
import { writeAll } from '../io/files/handles.ts';
import { createFile } from '../io/files/newFile.ts';
import type { Place } from './downloadPartial.ts';

const BLOCK = 1024 * 1024;

/**
 * The new file gets its name after it is complete and verified, and replaces an existing file.
 * @param from absolute path of the compressed file
 * @param sha256 expected digest of the new file
 * @throws CliError in the user's terms; then no new file exists
 */
export async function unpackFile(from: string, target: Place, sha256: string | undefined): Promise<void> {
  const { shownPath } = target;
  const undecodable = replaceFormatError((cause) => {
    const hint = 'run the command again to download the file again, or remove --decompress';
    return new CliError(`${shownPath} cannot be decompressed: ${cause.message}`, {
      code: 'ERR_FORMAT',
      hint,
      cause,
    });
  });
  await createFile({ ...target, existing: 'replace' }, async ({ handle }) => {
    const digest = await writeUnpacked(from, handle).catch(undecodable);
    if (sha256 === undefined || digest === sha256) return;
    throw new CliError(
      `checksum mismatch: ${shownPath} has sha256 ${digest} after decompression, expected ${sha256}`,
      { code: 'ERR_DIGEST', hint: 'download the file again; its content does not match the metadata' },
    );
  });
}

/** Returns the sha256 of the written bytes. */
async function writeUnpacked(from: string, output: FileHandle): Promise<string> {
  const hash = createHash('sha256');
  const input = createReadStream(from, { highWaterMark: BLOCK });
  try {
    let size = 0;
    for await (const bytes of unpack(input)) {
      hash.update(bytes);
      await writeAll(output, bytes, size);
      size += bytes.length;
    }
  } finally {
    input.destroy();
  }
  await output.datasync();
  return hash.digest('hex');
}

/** A piece is valid until the next one is requested. */
async function* unpack(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void> {
  const input = inputOf('compressed', sourceOf(pieces[Symbol.asyncIterator]()));
  const format = await compressionAt(input);
  if (format === 'none') throw new FormatError('it is not compressed, but its name ends in .gz, .xz or .zst');
  yield* unpackMember(format, input, { maxBytes: Infinity, streams: { left: Infinity } });
  if (await hasMore(input)) throw new FormatError('trailing garbage after the compressed data');
}
