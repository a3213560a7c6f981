/** `pxe network unwrap`: prints the network settings that an initramfs carries, or writes them to files. */

import { isNetworkPath, listNetworkSettings } from '../../image/networkSettings.ts';
import type { ExitCode, Io } from '../../io/io.ts';
import { readInitrdInput } from '../../hosts/input/initrdInput.ts';
import { deliverNetworkFiles } from '../../customize/networkOutput.ts';
import { parseTextOrJson } from '../../io/report/choices.ts';

export interface UnwrapNetworkOptions {
  /** Path of the initramfs; without, it is read from standard input. */
  readonly initrd?: string | undefined;
  /** Folder to write the files to, made if need be; without, their contents are printed. */
  readonly directory?: string | undefined;
  /** `text` when it is left out. */
  readonly format?: string | undefined;
}

/** @throws CliError where it carries none, or where a file exists already */
export async function unwrapNetwork(options: UnwrapNetworkOptions, io: Io): Promise<ExitCode> {
  const format = parseTextOrJson(options.format);
  const members = await readInitrdInput(options.initrd, isNetworkPath, io);
  await deliverNetworkFiles(listNetworkSettings(members), { ...options, format }, io);
  return 0;
}
