/** `iso ignition remove`: takes the Ignition config out of a live ISO; succeeds where there is none. */

import { removeIgnition } from '../../image/embeddedIgnition.ts';
import type { ExitCode, Io } from '../../io/io.ts';
import { type Rewrite, rewriteLiveIso } from '../../io/images/rewriteImage.ts';

export type RemoveOptions = Rewrite;

/** Network settings in the same area stay; with none, the area has its original bytes again. */
export async function remove(options: RemoveOptions, io: Io): Promise<ExitCode> {
  await rewriteLiveIso(options, removeIgnition, io);
  return 0;
}
