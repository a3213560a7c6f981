/** A CoreOS live ISO: what it holds, and the patches that change it. The image itself is never written here. */

import { CliError } from '../errors.ts';
import {
  type EmbedArea,
  type EmbedFiles,
  findEmbedArea,
  readEmbedArea,
  writeEmbedArea,
} from './embedArea.ts';
import { type IsoTree, openIsoTree } from './isoTree.ts';
import type { Patch } from './overlay.ts';
import type { RandomAccess } from './randomAccess.ts';

/** Member of the embed area's archive that Ignition reads. */
export const CONFIG_NAME = 'config.ign';

/** What to do with a config that the image already has. */
export type Existing = 'refuse' | 'replace';

export interface LiveIso {
  readonly tree: IsoTree;
  /** Volume ID, e.g. `fedora-coreos-38.20230718.dev.0`. */
  readonly label: string;
  readonly embedArea: EmbedArea;
  /** Everything in the embed area; the Ignition config is one of the files. */
  embeddedFiles(): Promise<EmbedFiles>;
  /** The embedded Ignition config, as it was embedded. */
  ignition(): Promise<Uint8Array | undefined>;
  /** Other files of the area stay. */
  embedIgnition(config: Uint8Array, existing: Existing): Promise<Patch[]>;
  /** No patches where there is no config. */
  removeIgnition(): Promise<Patch[]>;
}

/** @throws FormatError for anything but a CoreOS live ISO */
export async function openLiveIso(image: RandomAccess): Promise<LiveIso> {
  const tree = await openIsoTree(image);
  const area = await findEmbedArea(image, tree);
  let files: Promise<EmbedFiles> | undefined;
  const embeddedFiles = (): Promise<EmbedFiles> => (files ??= readEmbedArea(image, area));

  return {
    tree,
    label: tree.volume.volumeId,
    embedArea: area,
    embeddedFiles,
    ignition: async () => (await embeddedFiles()).get(CONFIG_NAME),
    embedIgnition: async (config, existing) => {
      const before = await embeddedFiles();
      if (before.has(CONFIG_NAME) && existing === 'refuse') {
        throw new CliError('This ISO image already has an embedded Ignition config; use -f to force.');
      }
      return writeEmbedArea(area, new Map(before).set(CONFIG_NAME, config));
    },
    removeIgnition: async () => {
      const after = new Map(await embeddedFiles());
      return after.delete(CONFIG_NAME) ? writeEmbedArea(area, after) : [];
    },
  };
}
