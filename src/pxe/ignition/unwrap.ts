/** `pxe ignition unwrap`: prints the Ignition config that an initramfs or an archive behind it carries, byte for byte. */

import { CliError } from '../../core/errors.ts';
import { CONFIG_NAME } from '../../image/embeddedIgnition.ts';
import type { ExitCode, Io } from '../../io/io.ts';
import { writeStdout } from '../../io/stdout.ts';
import { readInitrdInput } from '../../hosts/input/initrdInput.ts';

export interface UnwrapIgnitionOptions {
  /** Path of the initramfs; without, it is read from standard input. */
  readonly initrd?: string | undefined;
}

/** @throws CliError where there is no config */
export async function unwrapIgnition({ initrd }: UnwrapIgnitionOptions, io: Io): Promise<ExitCode> {
  const files = await readInitrdInput(initrd, (member) => member === CONFIG_NAME, io);
  const config = files.get(CONFIG_NAME);
  if (config === undefined) {
    throw new CliError("couldn't find Ignition config in archive", {
      hint: 'make an archive with `pxe ignition wrap`, and put it behind the initramfs',
    });
  }
  await writeStdout(io, [config]);
  return 0;
}
