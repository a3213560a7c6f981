/** The settings for the configs of all hosts: from a file, or from the environment of image-customization-controller. */

import type { ControllerOptions } from './options.ts';
import type { Io } from '../../io/io.ts';
import { UsageError } from '../../core/errors.ts';
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
  const read = await readInventoryFile(file, { ...given, inventory: file }, io, 'Settings (--settings)');
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
