/** `iso network embed`: puts keyfiles of NetworkManager into a live ISO, for its initramfs. */

import { embedNetworkSettings } from '../../image/networkSettings.ts';
import { outputFile } from '../../io/images/imageOutput.ts';
import type { ExitCode, Io } from '../../io/io.ts';
import { type Rewrite, rewriteLiveIso } from '../../io/images/rewriteImage.ts';
import { networkInputs, type NetworkOptions, readNetworkFiles } from '../../hosts/input/networkFiles.ts';
import { refuseSwapped } from '../../hosts/input/swappedInputs.ts';

export interface EmbedNetworkOptions extends NetworkOptions, Rewrite {
  /** Replaces all embedded network settings, and lets the image grow far. */
  readonly force?: boolean;
  /** Makes the image longer where its embed area is too small. */
  readonly grow?: boolean;
}

/**
 * The keyfiles are read before the image is opened, so that their errors come first. An Ignition config stays.
 * @throws CliError in the user's terms; nothing has been written then
 */
export async function embedNetwork(options: EmbedNetworkOptions, io: Io): Promise<ExitCode> {
  outputFile(options, io); // wrong usage is reported before anything is opened
  await refuseSwapped(options.iso, networkInputs(options), io);
  const keyfiles = await readNetworkFiles(options, io);
  const existing = options.force === true ? 'replace' : 'refuse';
  await rewriteLiveIso(options, (iso) => embedNetworkSettings(iso, keyfiles, existing), io);
  return 0;
}
