/** `pxe network wrap`: makes an archive with keyfiles of NetworkManager, to be loaded behind the initramfs. */

import { NETWORK_FOLDER, wrapNetworkSettings } from '../../image/networkSettings.ts';
import type { ExitCode, Io } from '../../io/io.ts';
import { networkInputs, type NetworkOptions, readNetworkFiles } from '../../hosts/input/networkFiles.ts';
import { refuseSwapped } from '../../hosts/input/swappedInputs.ts';
import { checkWrapOutput, deliverArchive, type WrapOutput } from '../wrapOutput.ts';

export interface WrapNetworkOptions extends NetworkOptions, WrapOutput {}

/** @throws CliError in the user's terms; nothing has been written then */
export async function wrapNetwork(options: WrapNetworkOptions, io: Io): Promise<ExitCode> {
  checkWrapOutput(options, io);
  await refuseSwapped(undefined, networkInputs(options), io);
  const keyfiles = await readNetworkFiles(options, io);
  const files = new Map(keyfiles.map(({ name, data }) => [`${NETWORK_FOLDER}/${name}`, data]));
  await deliverArchive({ bytes: wrapNetworkSettings(keyfiles), files }, options, io);
  return 0;
}
