/** `pack minimal-iso`: writes to a full ISO how to create the minimal ISO of the same build from it. */

import { unlink } from 'node:fs/promises';
import { resolve } from 'node:path';
import { packMinimalIso } from '../../image/minimalIso/pack.ts';
import { fileError } from '../../io/files/fileErrors.ts';
import type { ExitCode, Io } from '../../io/io.ts';
import { readLiveIso, rewriteLiveIso } from '../../imagefile/rewriteImage.ts';

export interface PackMinimalIsoOptions {
  /** Edited in place. */
  readonly fullIso: string;
  readonly minimalIso: string;
  /** Deletes the minimal ISO on success. */
  readonly consume?: boolean;
}

/** @throws CliError for the user; the full ISO is then unchanged */
export async function packMinimal(options: PackMinimalIsoOptions, io: Io): Promise<ExitCode> {
  const { fullIso, minimalIso, consume = false } = options;
  io.stderr.write('Packing minimal ISO\n');
  await rewriteLiveIso(
    { iso: fullIso },
    async (full) => {
      const packed = await readLiveIso(minimalIso, io, (minimal) => packMinimalIso(full, minimal));
      io.stderr.write(
        `Matched ${packed.fileCount} files of ${packed.fileCount}\n` +
          `Total bytes skipped: ${packed.sharedBytes}\n` +
          `Total bytes written: ${packed.packedBytes}\n` +
          `Total bytes written (compressed): ${packed.compressedBytes}\n`,
      );
      return packed.change;
    },
    io,
  );
  if (consume) {
    try {
      await unlink(resolve(io.cwd, minimalIso));
    } catch (error) {
      throw fileError(error, { path: minimalIso, what: 'Minimal ISO', action: 'write' });
    }
  }
  io.stderr.write('Packing successful!\n');
  return 0;
}
