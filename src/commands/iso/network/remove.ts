/** `iso network remove`: takes the network settings out of a live ISO; succeeds where there are none. */

import { removeNetworkSettings } from '../../../image/networkSettings.ts';
import type { ExitCode, Io } from '../../../io/io.ts';
import { rewriteLiveIso } from '../../../io/rewriteImage.ts';

export interface RemoveNetworkOptions {
  readonly iso: string;
  /** A new file, or `-` for standard output; without, the image itself is changed. */
  readonly output?: string | undefined;
}

/** An Ignition config in the same area stays; with none, the area has its original bytes again. */
export async function removeNetwork(options: RemoveNetworkOptions, io: Io): Promise<ExitCode> {
  await rewriteLiveIso(options, removeNetworkSettings, io);
  return 0;
}
