/**
 * Unpacks a downloaded file into another one, in little memory: by its content, whatever its name says. Exactly one
 * compressed file has to be in it: anything behind is an error, since it would pass unseen (CVE-2021-20319).
 */

import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { open, unlink } from 'node:fs/promises';
import { CliError, FormatError } from '../core/errors.ts';
import { hasMore, inputOf, sourceOf } from '../formats/byteFeed.ts';
import { compressionAt, unpackMember } from '../formats/compression.ts';
import { fileError } from '../io/files/fileErrors.ts';
import { writeAll } from '../io/files/handles.ts';
import { renameFile } from '../io/files/tempFile.ts';

/** Paths are absolute. */
export interface Unpacking {
  readonly from: string;
  readonly to: string;
  /** The path of the new file as it may be shown. */
  readonly shownPath: string;
  /** What the new file has to be. */
  readonly sha256: string | undefined;
}

const BLOCK = 1024 * 1024;

/**
 * The new file gets its name after it is complete and verified, and replaces an existing file.
 * @throws CliError in the user's terms; nothing new is there then
 */
export async function unpackFile({ from, to, shownPath, sha256 }: Unpacking): Promise<void> {
  const part = `${to}.partial`;
  try {
    await unlink(part).catch(() => undefined);
    const digest = await writeUnpacked(from, part);
    if (sha256 !== undefined && digest !== sha256) {
      throw new CliError(
        `checksum mismatch: ${shownPath} has sha256 ${digest} after decompression, expected ${sha256}`,
        {
          code: 'ERR_DIGEST',
          hint: 'download the file again; its content does not match the metadata',
        },
      );
    }
    await renameFile(part, to);
  } catch (error) {
    await unlink(part).catch(() => undefined);
    if (error instanceof FormatError) {
      throw new CliError(`${shownPath} cannot be decompressed: ${error.message}`, {
        code: 'ERR_FORMAT',
        cause: error,
      });
    }
    throw fileError(error, { path: shownPath, what: 'Output', action: 'write' });
  }
}

/** @returns the sha256 of what was written */
async function writeUnpacked(from: string, to: string): Promise<string> {
  const input = await open(from, 'r');
  try {
    const output = await open(to, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL);
    try {
      const hash = createHash('sha256');
      let size = 0;
      for await (const bytes of unpack(input.createReadStream({ highWaterMark: BLOCK, autoClose: false }))) {
        hash.update(bytes);
        await writeAll(output, bytes, size);
        size += bytes.length;
      }
      await output.datasync();
      return hash.digest('hex');
    } finally {
      await output.close();
    }
  } finally {
    await input.close();
  }
}

/** A piece is good until the next one is asked for. */
async function* unpack(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void> {
  const input = inputOf('compressed', sourceOf(pieces[Symbol.asyncIterator]()));
  const format = await compressionAt(input);
  if (format === 'none') throw new FormatError('it is not compressed, but its name ends in .gz, .xz or .zst');
  yield* unpackMember(format, input, { maxBytes: Infinity, streams: { left: Infinity } });
  if (await hasMore(input)) throw new FormatError('trailing garbage after the compressed data');
}
