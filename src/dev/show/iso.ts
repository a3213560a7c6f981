/** `dev show iso`: prints, as JSON, what an ISO image consists of, or where its reserved areas are. */

import { UsageError } from '../../core/errors.ts';
import { describeKargs, type IsoListing, listIso } from '../../image/isoListing.ts';
import { openIsoTree } from '../../image/isoTree.ts';
import { openImage } from '../../io/images/imageFile.ts';
import type { ExitCode, Io } from '../../io/io.ts';
import { readLiveIso } from '../../io/images/rewriteImage.ts';
import { writeStdout } from '../../io/stdout.ts';
import { nameInput } from '../../hosts/input/nameInput.ts';
import { jsonBytes } from '../../io/report/choices.ts';

export interface ShowIsoOptions {
  readonly iso: string;
  /** Prints offset and length of the embed area. */
  readonly ignition?: boolean;
  /** Prints the places of the kernel arguments. */
  readonly kargs?: boolean;
}

/**
 * Without an option, any ISO 9660 image will do. Sizes and offsets are in bytes.
 * @throws UsageError for both options; CliError where the image cannot be read, or is no CoreOS live ISO
 */
export async function showIso(options: ShowIsoOptions, io: Io): Promise<ExitCode> {
  await writeStdout(io, [jsonBytes(await describeIso(options, io))]);
  return 0;
}

async function describeIso({ iso: path, ignition, kargs }: ShowIsoOptions, io: Io): Promise<unknown> {
  if (ignition === true && kargs === true) {
    throw new UsageError('--ignition and --kargs exclude each other', { hint: 'give one of them' });
  }
  if (kargs === true) return readLiveIso(path, io, async (iso) => describeKargs(await iso.kargsAreas()));
  if (ignition === true) {
    return readLiveIso(path, io, async ({ embedArea: { offset, length } }) => ({ offset, length }));
  }
  return describeTree(path, io);
}

async function describeTree(path: string, io: Io): Promise<IsoListing> {
  const image = await openImage(path, io);
  try {
    return await nameInput(path, async () => listIso(await openIsoTree(image)));
  } finally {
    await image.close();
  }
}
