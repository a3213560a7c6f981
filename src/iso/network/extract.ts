/** `iso network extract`: prints the embedded network settings of a live ISO, or writes them to files. */

import { listNetworkSettings } from '../../image/networkSettings.ts';
import type { ExitCode, Io } from '../../io/io.ts';
import { readLiveIso } from '../../io/images/rewriteImage.ts';
import { deliverNetworkFiles } from '../../customize/networkOutput.ts';
import { parseTextOrJson } from '../../io/report/choices.ts';

export interface ExtractNetworkOptions {
  readonly iso: string;
  /** Folder to write the files to, made if need be; without, their contents are printed. */
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
