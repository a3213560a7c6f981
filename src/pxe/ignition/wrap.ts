/** `pxe ignition wrap`: makes an archive with an Ignition config, to be loaded behind the initramfs. */

import { CONFIG_NAME } from '../../image/embeddedIgnition.ts';
import { writeInitrd } from '../../image/initrd.ts';
import type { ExitCode, Io } from '../../io/io.ts';
import { type ConfigOptions, readCheckedConfig } from '../../hosts/input/checkedConfig.ts';
import { configFile, refuseSwapped } from '../../hosts/input/swappedInputs.ts';
import { checkWrapOutput, deliverArchive, type WrapOutput } from '../wrapOutput.ts';

export interface WrapIgnitionOptions extends ConfigOptions, WrapOutput {}

/** @throws CliError in the user's terms; nothing has been written then */
export async function wrapIgnition(options: WrapIgnitionOptions, io: Io): Promise<ExitCode> {
  checkWrapOutput(options, io);
  await refuseSwapped(undefined, [configFile('-i', options.ignitionFile)], io);
  const config = await readCheckedConfig(options, io);
  const files = new Map([[CONFIG_NAME, config]]);
  await deliverArchive({ bytes: writeInitrd(files), files }, options, io);
  return 0;
}
