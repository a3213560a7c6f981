/** The archive of the agent's image on the medium of a full ISO. */

import { createHash } from 'node:crypto';
import { CliError } from '../../core/errors.ts';
import { openIsoTree } from '../../image/isoTree.ts';
import type { MediumFile } from '../../image/mediumFiles.ts';
import { reusedChunks, type RandomAccess } from '../../image/overlay.ts';
import { openImage } from '../../io/images/imageFile.ts';
import type { Io } from '../../io/io.ts';

export interface MediumArchive {
  /** Within the folder of the medium. */
  readonly name: string;
  /** Absolute. */
  readonly path: string;
  readonly sha512: string;
}

/**
 * Lends what has to be added to the medium: nothing where there is no archive, or where the medium has it already.
 * @throws CliError where the medium has another file of that name
 */
export async function withMediumArchive<T>(
  archive: MediumArchive | undefined,
  iso: RandomAccess,
  { io, use }: { readonly io: Io; readonly use: (files: readonly MediumFile[]) => Promise<T> },
): Promise<T> {
  if (archive === undefined || (await isOnMedium(archive, iso))) return use([]);
  const content = await openImage(archive.path, { cwd: io.cwd });
  try {
    return await use([{ name: archive.name, content }]);
  } finally {
    await content.close();
  }
}

/** @throws CliError where the medium has another file of that name */
export async function isOnMedium(
  { name, sha512 }: Pick<MediumArchive, 'name' | 'sha512'>,
  image: RandomAccess,
): Promise<boolean> {
  const entry = await (await openIsoTree(image)).find(`coreos/${name}`);
  if (entry?.kind !== 'file') return false;
  const hash = createHash('sha512');
  for await (const chunk of reusedChunks(image, { offset: entry.offset, length: entry.size }))
    hash.update(chunk);
  if (hash.digest('hex') === sha512) return true;
  throw new CliError(`The ISO has another file coreos/${name} already`, {
    hint: 'take it out with `iso reset`, or give the ISO as it was released',
  });
}
