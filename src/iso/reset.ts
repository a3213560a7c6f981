/** `iso reset`: gives a live ISO the contents back that it was released with. */

import { repairIso, resetIso } from '../image/liveIso.ts';
import type { ExitCode, Io } from '../io/io.ts';
import { type Rewrite, rewriteLiveIso } from '../io/images/rewriteImage.ts';

export interface ResetOptions extends Rewrite {
  /** Also where the reserved areas hold what cannot be read. */
  readonly force?: boolean;
}

/**
 * Embedded files go, and so does what made the image longer; kernel arguments are the default ones again.
 * @throws CliError in the user's terms; nothing has been written then
 */
export async function reset({ force = false, ...rewrite }: ResetOptions, io: Io): Promise<ExitCode> {
  await rewriteLiveIso(rewrite, force ? repairIso : resetIso, io);
  return 0;
}
