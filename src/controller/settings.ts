/** What the configs of all hosts are rendered from: a file of settings, or the environment alone, as image builders have it. */

import { type InventoryLayers, readInventoryFile } from '../hosts/settings/inventory.ts';
import type { Io } from '../io/io.ts';
import { UsageError } from '../core/errors.ts';
import { chooseProfile } from '../hosts/settings/profile.ts';
import { readInputs, type RenderSource } from '../hosts/settings/settings.ts';
import type { ControllerOptions } from './options.ts';

export interface RenderLayers {
  readonly source: RenderSource;
  readonly layers: InventoryLayers;
}

const addressHint =
  'set ironic.apiUrls below agent in the settings (--settings), or the variable IRONIC_BASE_URL';

/**
 * @param file of settings; undefined where the environment says everything
 * @throws CliError where the file is wrong, UsageError for the options and for a list of hosts
 */
export async function readRenderLayers(
  file: string | undefined,
  { profile }: Pick<ControllerOptions, 'profile'>,
  io: Io,
): Promise<RenderLayers> {
  const given = profile === undefined ? {} : { profile };
  if (file === undefined) {
    // Who says everything by the environment comes from the image-customization-controller.
    const source: RenderSource = { options: { profile: 'icc', ...given }, io, addressHint };
    readInputs(source);
    return { source, layers: { profile: chooseProfile(source.options), files: [] } };
  }
  const read = await readInventoryFile(file, { ...given, inventory: file }, io);
  const { inventory } = read;
  const source = { ...read.source, addressHint };
  if (inventory.hosts !== undefined) {
    throw new UsageError(`${file} has a list of hosts, and here the cluster says which hosts there are`, {
      hint: 'take "hosts" out; what is different for a host is in its Secret',
    });
  }
  readInputs(source);
  const layers = { profile: chooseProfile(source.options), files: [inventory.agent] };
  return { source, layers };
}
