/** `iso ignition embed`: puts an Ignition config into a live ISO, after checking it as Ignition would. */

import { UsageError } from '../../../errors.ts';
import { embedIgnition } from '../../../image/embeddedIgnition.ts';
import type { ImageChange } from '../../../image/imageChange.ts';
import type { LiveIso } from '../../../image/liveIso.ts';
import type { ExitCode, Io } from '../../../io/io.ts';
import { type Rewrite, rewriteLiveIso } from '../../../io/rewriteImage.ts';
import {
  type InitrdFileOptions,
  type MediumFileOptions,
  readInitrdFiles,
  withMediumFiles,
} from '../../input/addedFiles.ts';
import { type ConfigOptions, readCheckedConfig } from '../../input/checkedConfig.ts';

export interface EmbedOptions extends ConfigOptions, InitrdFileOptions, MediumFileOptions, Rewrite {
  /** Replaces an embedded config, and lets the image grow far. */
  readonly force?: boolean;
  /** Makes the image longer where its embed area is too small. */
  readonly grow?: boolean;
}

/**
 * The config is read before the image is opened, so that its errors come first.
 * @throws CliError in the user's terms; nothing has been written then
 */
export async function embed(options: EmbedOptions, io: Io): Promise<ExitCode> {
  if (options.iso === '-' && options.ignitionFile === undefined) {
    throw new UsageError('standard input cannot be both the image and the config', {
      hint: 'name the file of one of them: -i FILE',
    });
  }
  const config = await readCheckedConfig(options, io);
  const existing = options.force === true ? 'replace' : 'refuse';
  const initrdFiles = await readInitrdFiles(options, io);
  await withMediumFiles(options, io, async (mediumFiles) => {
    const edit = (iso: LiveIso): Promise<ImageChange> =>
      embedIgnition(iso, { config, existing, initrdFiles, mediumFiles });
    await rewriteLiveIso(options, edit, io);
  });
  return 0;
}
