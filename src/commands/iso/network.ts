/** `iso network`: embeds, extracts or removes the network settings of a live ISO. */

import {
  embedNetworkSettings,
  listNetworkSettings,
  removeNetworkSettings,
} from '../../image/networkSettings.ts';
import type { LiveIso } from '../../image/liveIso.ts';
import { outputFile } from '../../imagefile/imageOutput.ts';
import type { ExitCode, Io } from '../../io/io.ts';
import { readLiveIso, type Rewrite } from '../../imagefile/rewriteImage.ts';
import { readNetworkFiles } from '../../hosts/input/networkFiles.ts';
import { type Edit, editLiveIso } from '../../hosts/input/imageContents.ts';
import { deliverNetworkFiles } from '../customize/networkOutput.ts';
import type { EmbedNetworkOptions, ExtractNetworkOptions } from './options.ts';

/** Reads the keyfiles before it opens the image, so that their errors are reported first. An embedded config is kept. */
export async function embedNetwork(options: EmbedNetworkOptions, io: Io): Promise<ExitCode> {
  outputFile(options, io); // a usage error is reported before a file is opened
  const keyfiles = await readNetworkFiles(options, io);
  const existing = options.force === true ? 'replace' : 'refuse';
  const edit = async (iso: LiveIso): Promise<Edit> => ({
    ...(await embedNetworkSettings(iso, keyfiles, existing)),
    keyfiles,
  });
  return editLiveIso(options, edit, io);
}

export async function extractNetwork(options: ExtractNetworkOptions, io: Io): Promise<ExitCode> {
  const files = await readLiveIso(options.iso, io, async (iso) =>
    listNetworkSettings(await iso.embeddedFiles()),
  );
  await deliverNetworkFiles(files, options, io);
  return 0;
}

/** An embedded Ignition config is kept. Without a config, the area gets its original bytes. */
export async function removeNetwork(options: Rewrite, io: Io): Promise<ExitCode> {
  return editLiveIso(options, removeNetworkSettings, io);
}
