/** `iso network remove`: takes the network settings out of a live ISO; succeeds where there are none. */

import { removeNetworkSettings } from '../../image/networkSettings.ts';
import type { ExitCode, Io } from '../../io/io.ts';
import { type Rewrite, rewriteLiveIso } from '../../io/images/rewriteImage.ts';

export type RemoveNetworkOptions = Rewrite;

/** An Ignition config in the same area stays; with none, the area has its original bytes again. */
export async function removeNetwork(options: RemoveNetworkOptions, io: Io): Promise<ExitCode> {
  await rewriteLiveIso(options, removeNetworkSettings, io);
  return 0;
}
