/** `iso reset`: restores the released contents of a live ISO. */

import { resetDamagedIso, resetIso } from '../../image/liveIso.ts';
import type { ExitCode, Io } from '../../io/io.ts';
import { editLiveIso } from '../../hosts/input/imageContents.ts';
import type { ResetOptions } from './options.ts';

/** Removes embedded and appended files, and restores the default kernel arguments. */
export async function reset({ force = false, ...rewrite }: ResetOptions, io: Io): Promise<ExitCode> {
  return editLiveIso(rewrite, force ? resetDamagedIso : resetIso, io);
}
