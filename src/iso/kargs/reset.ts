/** `iso kargs reset`: gives a live ISO the kernel arguments back that it was released with. */

import { restoreDefaultKargs } from '../../image/liveIso.ts';
import type { ExitCode, Io } from '../../io/io.ts';
import { type Rewrite, rewriteLiveIso } from '../../io/images/rewriteImage.ts';

/**
 * What is embedded stays.
 * @throws CliError in the user's terms; nothing has been written then
 */
export async function resetKargs(options: Rewrite, io: Io): Promise<ExitCode> {
  await rewriteLiveIso(options, restoreDefaultKargs, io);
  return 0;
}
