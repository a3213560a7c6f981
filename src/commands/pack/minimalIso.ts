/** `pack minimal-iso`: writes to a full ISO how to create the minimal ISO of the same build from it. */

import { unlink } from 'node:fs/promises';
import { resolve } from 'node:path';
import { type PackedMinimalIso, packMinimalIso } from '../../image/minimalIso/pack.ts';
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
      report(packed, io);
      return packed.change;
    },
    io,
  );
  if (consume) await removeFile(minimalIso, io);
  io.stderr.write('Packing successful!\n');
  return 0;
}

function report({ fileCount, sharedBytes, packedBytes, compressedBytes }: PackedMinimalIso, io: Io): void {
  io.stderr.write(
    `Matched ${fileCount} files of ${fileCount}\n` +
      `Total bytes skipped: ${sharedBytes}\n` +
      `Total bytes written: ${packedBytes}\n` +
      `Total bytes written (compressed): ${compressedBytes}\n`,
  );
}

async function removeFile(path: string, { cwd }: Io): Promise<void> {
  try {
    await unlink(resolve(cwd, path));
  } catch (error) {
    throw fileError(error, { path, what: 'Minimal ISO', action: 'write' });
  }
}
