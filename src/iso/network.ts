/** `iso network`: embeds network settings in a live ISO for its initramfs, extracts them, or removes them. */

import {
  embedNetworkSettings,
  listNetworkSettings,
  removeNetworkSettings,
} from '../image/networkSettings.ts';
import { outputFile } from '../io/images/imageOutput.ts';
import type { ExitCode, Io } from '../io/io.ts';
import { readLiveIso, type Rewrite, rewriteLiveIso } from '../io/images/rewriteImage.ts';
import { networkInputs, type NetworkOptions, readNetworkFiles } from '../hosts/input/networkFiles.ts';
import { refuseSwapped } from '../hosts/input/swappedInputs.ts';
import { deliverNetworkFiles } from '../customize/networkOutput.ts';
import { parseTextOrJson } from '../io/report/choices.ts';

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

export interface ExtractNetworkOptions {
  readonly iso: string;
  /** Folder to write the files to, created if it is missing; without, their contents are printed. */
  readonly directory?: string | undefined;
  /** `text` when it is left out. */
  readonly format?: string | undefined;
}

/** @throws CliError where the image has none, or where a file exists already */
export async function extractNetwork(options: ExtractNetworkOptions, io: Io): Promise<ExitCode> {
  const format = parseTextOrJson(options.format);
  const files = await readLiveIso(options.iso, io, async (iso) =>
    listNetworkSettings(await iso.embeddedFiles()),
  );
  await deliverNetworkFiles(files, { ...options, format }, io);
  return 0;
}

export type RemoveNetworkOptions = Rewrite;

/** An Ignition config in the same area stays; with none, the area has its original bytes again. */
export async function removeNetwork(options: RemoveNetworkOptions, io: Io): Promise<ExitCode> {
  await rewriteLiveIso(options, removeNetworkSettings, io);
  return 0;
}
