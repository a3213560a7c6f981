/** The settings for the configs of all hosts: from a file, or from the environment of image-customization-controller. */

import type { ControllerOptions } from './options.ts';
import type { Io } from '../../io/io.ts';
import { CliError, UsageError } from '../../core/errors.ts';
import { readInventoryFile } from '../../hosts/settings/inventory.ts';
import { readInputs, type RenderSource } from '../../hosts/settings/settings.ts';

const SETTINGS_PLACE = 'under "agent" in the settings (--settings FILE)';

/** Throws CliError, and UsageError for settings that contain hosts. */
export async function readRenderSource(
  { profile, settings: file }: ControllerOptions,
  io: Io,
): Promise<RenderSource> {
  const given = profile === undefined ? {} : { profile };
  if (file === undefined) {
    // Settings from the environment only: a replacement of image-customization-controller.
    const source: RenderSource = { options: { profile: 'icc', ...given }, io, settingsPlace: SETTINGS_PLACE };
    readInputs(source);
    return source;
  }
  const read = await readInventoryFile(
    file,
    { ...given, inventory: file },
    io,
    'Settings (--settings)',
  ).catch((error: unknown) => {
    throw describeMissing(error, file);
  });
  const { inventory } = read;
  const source = { ...read.source, settingsPlace: SETTINGS_PLACE };
  if (inventory.hosts !== undefined) {
    throw new UsageError(
      `${file} contains a list of hosts, but the controller reads the hosts from the cluster`,
      {
        hint: 'remove "hosts"; put the network data of a host into its Secret',
      },
    );
  }
  readInputs(source);
  return source;
}

/** A name of kubectl, such as `configmap/ramdisk`, gets a hint. Other errors are returned unchanged. */
function describeMissing(error: unknown, file: string): unknown {
  const [, word] = /^(configmap|secret)\//i.exec(file) ?? [];
  if (word === undefined || !(error instanceof CliError) || error.code !== 'ERR_FILE_MISSING') return error;
  const kind = word.toLowerCase() === 'secret' ? 'Secret' : 'ConfigMap';
  return new CliError(error.message, {
    code: error.code,
    hint: `mount the ${kind} as a volume, and pass the path of the file in it: --settings /settings/ramdisk.yaml`,
    cause: error,
  });
}
