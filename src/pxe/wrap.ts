/** `pxe ignition` and `pxe network`: make an archive that is loaded behind the initramfs, or print what one contains. */

import { resolve } from 'node:path';
import { CliError, UsageError } from '../core/errors.ts';
import type { EmbedFiles } from '../image/embedArea.ts';
import { modeForFiles, parseMode } from '../io/images/imageOutput.ts';
import type { ExitCode, Io } from '../io/io.ts';
import { writeFileAtomically } from '../io/files/newFile.ts';
import { refuseTerminal, writeStdout } from '../io/stdout.ts';
import { CONFIG_NAME } from '../image/embeddedIgnition.ts';
import { writeInitrd } from '../image/initrd.ts';
import { type ConfigOptions, readCheckedConfig } from '../hosts/input/checkedConfig.ts';
import { configFile, refuseSwapped } from '../hosts/input/swappedInputs.ts';
import { readInitrdInput } from '../hosts/input/initrdInput.ts';
import {
  isNetworkPath,
  listNetworkSettings,
  NETWORK_FOLDER,
  wrapNetworkSettings,
} from '../image/networkSettings.ts';
import { networkInputs, type NetworkOptions, readNetworkFiles } from '../hosts/input/networkFiles.ts';
import { deliverNetworkFiles } from '../customize/networkOutput.ts';
import { parseTextOrJson } from '../io/report/choices.ts';

interface WrapOutput {
  /** A file, which is replaced; `-` is a name like any other, as it is for coreos-installer. */
  readonly output?: string | undefined;
  /** Permission bits of the file in octal; without, as it has them, what the umask gives, or 0600 for secrets. */
  readonly mode?: string | undefined;
}

/** @throws CliError, before anything is read */
function checkWrapOutput({ output, mode }: WrapOutput, io: Io): void {
  if (mode !== undefined) parseMode(mode);
  if (output !== undefined) return;
  refuseTerminal(io);
  if (mode === undefined) return;
  throw new UsageError('--mode is about a file, and none is written', { hint: 'name the file with -o' });
}

/** An archive and what it holds. */
export interface Archive {
  readonly bytes: Uint8Array;
  readonly files: EmbedFiles;
}

/** @throws CliError in the user's terms; the file is then as it was */
async function deliverArchive(
  { bytes, files }: Archive,
  { output, mode }: WrapOutput,
  io: Io,
): Promise<void> {
  if (output === undefined) return writeStdout(io, [bytes]);
  const bits = await modeForFiles(mode === undefined ? undefined : parseMode(mode), files, io);
  await writeFileAtomically(resolve(io.cwd, output), bytes, {
    shownPath: output,
    ...(bits !== undefined && { mode: bits }),
  });
}

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
      code: 'ERR_IMAGE',
      hint: 'make an archive with `pxe ignition wrap`, and put it behind the initramfs',
    });
  }
  await writeStdout(io, [config]);
  return 0;
}

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

export interface UnwrapNetworkOptions {
  /** Path of the initramfs; without, it is read from standard input. */
  readonly initrd?: string | undefined;
  /** Folder to write the files to, created if it is missing; without, their contents are printed. */
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
