/** `iso ignition remove`: takes the Ignition config out of a live ISO; succeeds where there is none. */

import { removeIgnition } from '../../../image/embeddedIgnition.ts';
import type { ExitCode, Io } from '../../../io/io.ts';
import { rewriteLiveIso } from '../../../io/rewriteImage.ts';

export interface RemoveOptions {
  readonly iso: string;
  /** A new file, or `-` for standard output; without, the image itself is changed. */
  readonly output?: string | undefined;
}

/** Network settings in the same area stay; with none, the area has its original bytes again. */
export async function remove(options: RemoveOptions, io: Io): Promise<ExitCode> {
  await rewriteLiveIso(options, removeIgnition, io);
  return 0;
}
