/** A CoreOS live ISO: what it holds, and the change that makes it hold something else. The image itself is never written here. */

import { type EmbedArea, type EmbedFiles, findEmbedArea, readEmbedArea } from './embedArea.ts';
import type { Growth, ImageWithArea } from './growth.ts';
import { bothChanges, type ImageChange, patchesOnly, unchanged } from './imageChange.ts';
import { type IsoTree, openIsoTree } from './isoTree.ts';
import { findKargsAreas, type KargsAreas, writeKargs } from './kargsAreas.ts';
import { type LiveFeatures, readIsoFeatures } from './liveFeatures.ts';
import type { MediumFile } from './mediumFiles.ts';
import type { ImageAccess } from './overlay.ts';

export interface LiveIso {
  readonly image: ImageAccess;
  readonly tree: IsoTree;
  /** Volume ID, e.g. `fedora-coreos-38.20230718.dev.0`. */
  readonly label: string;
  readonly embedArea: EmbedArea;
  /** Everything in the embed area; the Ignition config and network settings are files of it. */
  embeddedFiles(): Promise<EmbedFiles>;
  /** Undefined where the image reserves no place for kernel arguments. */
  kargsAreas(): Promise<KargsAreas | undefined>;
  features(): Promise<LiveFeatures>;
  /** What is left out stays. Throws CliError where something does not fit. */
  change(contents: IsoContents): Promise<ImageChange>;
}

/** What an image is to hold. */
export interface IsoContents {
  /** All files of the embed area. */
  readonly files?: EmbedFiles;
  /** The whole line of kernel arguments. */
  readonly kargs?: string;
  /** Files to add to the folder `coreos` of the medium. */
  readonly mediumFiles?: readonly MediumFile[];
}

/**
 * @param growth whether changes may make the image longer
 * @throws FormatError for anything but a CoreOS live ISO
 */
export async function openLiveIso(image: ImageAccess, growth: Growth = 'refused'): Promise<LiveIso> {
  const tree = await openIsoTree(image);
  const area = await findEmbedArea(image, tree);
  const kargsAreas = once(() => findKargsAreas(image, tree));
  return {
    image,
    tree,
    label: tree.volume.volumeId,
    embedArea: area,
    embeddedFiles: once(() => readEmbedArea(image, area)),
    kargsAreas,
    features: once(() => readIsoFeatures(tree)),
    change: async (contents) => {
      const areas = contents.kargs === undefined ? undefined : await kargsAreas();
      const { files, kargs } = contents;
      const change = bothChanges(
        await changeData({ image, tree, area }, contents, { growth, kargsAreas }),
        kargs === undefined ? unchanged : patchesOnly(writeKargs(areas, kargs)),
      );
      return files === undefined ? change : { ...change, files };
    },
  };
}

/** What the live system unpacks, and what it finds on the medium. */
async function changeData(
  place: ImageWithArea,
  { files, mediumFiles = [], kargs }: IsoContents,
  { growth, kargsAreas }: { readonly growth: Growth; readonly kargsAreas: LiveIso['kargsAreas'] },
): Promise<ImageChange> {
  if (files === undefined && mediumFiles.length === 0) return unchanged;
  const [{ appendToImage }, { changeEmbedFiles }, { planMediumFiles }] = await Promise.all([
    import('./appendToImage.ts'),
    import('./growth.ts'),
    import('./mediumFiles.ts'),
  ]);
  const additions =
    mediumFiles.length === 0
      ? []
      : await planMediumFiles(place, mediumFiles, kargs ?? (await kargsAreas())?.current);
  return files === undefined
    ? appendToImage(place, additions)
    : changeEmbedFiles(place, { files, additions }, growth);
}

function once<T>(read: () => Promise<T>): () => Promise<T> {
  let result: Promise<T> | undefined;
  return () => (result ??= read());
}
