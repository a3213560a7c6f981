/** `iso ignition`: embeds, prints or removes the Ignition config of a live ISO. */

import { CliError, FormatError, UsageError } from '../core/errors.ts';
import { embedIgnition, readIgnition, removeIgnition } from '../image/embeddedIgnition.ts';
import type { ImageChange } from '../image/imageChange.ts';
import { imageRules } from '../image/inspection/imageRules.ts';
import type { LiveIso } from '../image/liveIso.ts';
import { outputFile } from '../io/images/imageOutput.ts';
import type { ExitCode, Io } from '../io/io.ts';
import { readLiveIso, type Rewrite, rewriteLiveIso } from '../io/images/rewriteImage.ts';
import { report } from '../io/report/report.ts';
import {
  type InitrdFileOptions,
  type MediumFileOptions,
  readInitrdFiles,
  withMediumFiles,
} from './addedFiles.ts';
import { type ConfigOptions, readCheckedConfig } from '../hosts/input/checkedConfig.ts';
import { configFile, refuseSwapped } from '../hosts/input/swappedInputs.ts';
import { writeStdout } from '../io/stdout.ts';

export interface EmbedOptions extends ConfigOptions, InitrdFileOptions, MediumFileOptions, Rewrite {
  /** Replaces an embedded config, and permits a large growth of the image. */
  readonly force?: boolean;
  /** Enlarges the image if its embed area is too small. */
  readonly grow?: boolean;
}

/**
 * Reads the config before it opens the image, so that errors of the config are reported first.
 * @throws CliError for the user; nothing is written then
 */
export async function embed(options: EmbedOptions, io: Io): Promise<ExitCode> {
  if (options.iso === '-' && options.ignitionFile === undefined) {
    throw new UsageError('standard input cannot be both the image and the config', {
      hint: 'use -i FILE for the config',
    });
  }
  outputFile(options, io); // a usage error is reported before a file is opened
  await refuseSwapped(options.iso, [configFile('-i', options.ignitionFile)], io);
  const config = await readCheckedConfig(options, io);
  const existing = options.force === true ? 'replace' : 'refuse';
  const initrdFiles = await readInitrdFiles(options, io);
  await withMediumFiles(options, io, async (mediumFiles) => {
    const edit = async (iso: LiveIso): Promise<ImageChange> => {
      await reportUnreadConfig(iso, io);
      return embedIgnition(iso, { config, existing, initrdFiles, mediumFiles });
    };
    await rewriteLiveIso(options, edit, io);
  });
  return 0;
}

/** Only a warning, because the user may need only the added files. A damaged features.json is not an error here. */
async function reportUnreadConfig(iso: LiveIso, io: Io): Promise<void> {
  const features = await iso.features().catch((error: unknown) => {
    if (error instanceof FormatError) return undefined;
    throw error;
  });
  if (features?.otherSystem !== true) return;
  const { hint, message } = imageRules.configUnread;
  report(io, { severity: 'warning', message, hint });
}

export interface ShowOptions {
  readonly iso: string;
}

/** @throws CliError where the image has no config */
export async function show({ iso }: ShowOptions, io: Io): Promise<ExitCode> {
  const config = await readLiveIso(iso, io, readIgnition);
  if (config === undefined) {
    throw new CliError('No embedded Ignition config.', {
      code: 'ERR_IMAGE',
      hint: 'use `iso ignition embed` to embed a config',
    });
  }
  await writeStdout(io, [config]);
  return 0;
}

export type RemoveOptions = Rewrite;

/** Embedded network settings are kept. Without network settings, the area gets its original bytes. */
export async function remove(options: RemoveOptions, io: Io): Promise<ExitCode> {
  await rewriteLiveIso(options, removeIgnition, io);
  return 0;
}
