/** `pxe ignition` and `pxe network`: write an archive to load after the initramfs, or print the contents of one. */

import { CliError } from '../../core/errors.ts';
import type { EmbedFiles } from '../../image/embedArea.ts';
import { modeForFiles, parseMode } from '../../imagefile/imageOutput.ts';
import type { ExitCode, Io } from '../../io/io.ts';
import { writeOutput } from '../../io/files/newFile.ts';
import { refuseUnused } from '../../io/report/choices.ts';
import { refuseTerminal, writeStdout } from '../../io/stdout.ts';
import { CONFIG_NAME } from '../../image/embeddedIgnition.ts';
import { readInitrdFrom, writeInitrd } from '../../image/initrd.ts';
import { readConfigToEmbed } from '../../hosts/input/configFiles.ts';
import { withInitrd } from '../../hosts/input/initrdInput.ts';
import { isNetworkPath, listNetworkSettings, networkMembers } from '../../image/networkSettings.ts';
import { requireContents } from '../../hosts/input/imageContents.ts';
import { readNetworkFiles } from '../../hosts/input/networkFiles.ts';
import { deliverNetworkFiles } from '../customize/networkOutput.ts';
import type {
  UnwrapIgnitionOptions,
  UnwrapNetworkOptions,
  WrapIgnitionOptions,
  WrapNetworkOptions,
  WrapOutput,
} from './options.ts';

function checkWrapOutput(options: WrapOutput, io: Io): void {
  refuseUnused(options, [['output', ['mode']]]);
  if (options.mode !== undefined) parseMode(options.mode);
  if (options.output === undefined) refuseTerminal(io);
}

/** Writes these files as an archive. */
async function deliverArchive(files: EmbedFiles, { output, mode }: WrapOutput, io: Io): Promise<void> {
  const bytes = writeInitrd(files);
  if (output === undefined) return writeStdout(io, [bytes]);
  const bits = modeForFiles(mode === undefined ? undefined : parseMode(mode), files, io);
  await writeOutput(output, bytes, io, bits);
}

export async function wrapIgnition(options: WrapIgnitionOptions, io: Io): Promise<ExitCode> {
  checkWrapOutput(options, io);
  const files = new Map([[CONFIG_NAME, await readConfigToEmbed(options, io)]]);
  requireContents({ files }, { io, options });
  await deliverArchive(files, options, io);
  return 0;
}

export async function unwrapIgnition({ initrd = '-' }: UnwrapIgnitionOptions, io: Io): Promise<ExitCode> {
  const files = await withInitrd(initrd, io, (source) =>
    readInitrdFrom(source, { wants: (member) => member === CONFIG_NAME }),
  );
  const config = files.get(CONFIG_NAME);
  if (config === undefined) {
    throw new CliError("couldn't find Ignition config in archive", {
      code: 'ERR_IMAGE',
      hint: 'use `pxe ignition wrap` to create an archive, and append it to the initramfs',
    });
  }
  await writeStdout(io, [config]);
  return 0;
}

export async function wrapNetwork(options: WrapNetworkOptions, io: Io): Promise<ExitCode> {
  checkWrapOutput(options, io);
  const keyfiles = await readNetworkFiles(options, io);
  const files = networkMembers(keyfiles);
  requireContents({ files }, { io, keyfiles, options: {} });
  await deliverArchive(files, options, io);
  return 0;
}

export async function unwrapNetwork(options: UnwrapNetworkOptions, io: Io): Promise<ExitCode> {
  const members = await withInitrd(options.initrd ?? '-', io, (source) =>
    readInitrdFrom(source, { wants: isNetworkPath }),
  );
  await deliverNetworkFiles(listNetworkSettings(members), options, io);
  return 0;
}
