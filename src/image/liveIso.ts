/** A CoreOS live ISO: its contents, and changes that embed files or reset it. This module does not write to the image. */

import { once } from '../core/once.ts';
import { type EmbedArea, type EmbedFiles, findEmbedArea, readEmbedArea, fillEmbedArea } from './embedArea.ts';
import type { Growth, TreeWithArea } from './growth.ts';
import { bothChanges, type ImageChange, patchesOnly, unchanged, changedImage } from './imageChange.ts';
import { FormatError, only } from '../core/errors.ts';
import { addedFiles, bytesBehind, readAppendix, takeBackAppendix } from './appendix.ts';
import { type IsoTree, openIsoTree } from './isoTree.ts';
import {
  findKargsAreas,
  findKargsLayout,
  type KargsAreas,
  refuseOverlap,
  requireKargsAreas,
  writeKargs,
} from './kargsAreas.ts';
import { type LiveFeatures, readIsoFeatures } from './liveFeatures.ts';
import type { MediumFile } from './mediumFiles.ts';
import type { ImageAccess, Patch } from './overlay.ts';

export interface LiveIso {
  readonly image: ImageAccess;
  readonly tree: IsoTree;
  /** Volume ID, e.g. `fedora-coreos-38.20230718.dev.0`. */
  readonly label: string;
  readonly embedArea: EmbedArea;
  /** All files in the embed area, such as the Ignition config and network settings. */
  embeddedFiles(): Promise<EmbedFiles>;
  /** Undefined if the image reserves no area for kernel arguments. */
  kargsAreas(): Promise<KargsAreas | undefined>;
  features(): Promise<LiveFeatures>;
  /** Keeps undefined contents. Throws CliError if the contents do not fit. */
  change(contents: IsoContents): Promise<ImageChange>;
}

/** New contents of an image. */
export interface IsoContents {
  /** All files of the embed area. */
  readonly files?: EmbedFiles;
  /** The whole line of kernel arguments. */
  readonly kargs?: string;
  /** Files to add to the folder `coreos` of the medium. */
  readonly mediumFiles?: readonly MediumFile[];
}

/**
 * @param growth whether changes may enlarge the image
 * @throws FormatError if the image is not a CoreOS live ISO
 */
export async function openLiveIso(image: ImageAccess, growth: Growth = 'refused'): Promise<LiveIso> {
  const tree = await openIsoTree(image);
  const area = await findEmbedArea(tree);
  const kargsAreas = once(() => findKargsAreas(tree));
  return {
    image,
    tree,
    label: tree.volume.volumeId,
    embedArea: area,
    embeddedFiles: once(() => readEmbedArea(image, area)),
    kargsAreas,
    features: once(() => readIsoFeatures(tree)),
    change: async (contents) => {
      const { files, kargs } = contents;
      const areas = kargs === undefined ? undefined : await kargsAreas();
      const change = bothChanges(
        await changeData({ tree, area, growth }, contents, kargsAreas),
        kargs === undefined ? unchanged : patchesOnly(writeKargs(areas, kargs)),
      );
      return files === undefined ? change : { ...change, files };
    },
  };
}

/** Changes the files in the embed area and the files on the medium. Without such changes, it removes what is left of earlier ones. */
async function changeData(
  place: TreeWithArea,
  { files, mediumFiles = [], kargs }: IsoContents,
  kargsAreas: LiveIso['kargsAreas'],
): Promise<ImageChange> {
  const { tree } = place;
  const appendix = await readAppendix(tree);
  // Most edits of kernel arguments end here.
  if (appendix === undefined && files === undefined && mediumFiles.length === 0) return unchanged;
  const [{ replaceData }, { checkVisible, planMediumFiles }] = await Promise.all([
    import('./growth.ts'),
    import('./mediumFiles.ts'),
  ]);
  const added = appendix === undefined ? [] : await addedFiles(tree, appendix);
  if (mediumFiles.length > 0 || (added.length > 0 && kargs !== undefined)) {
    await checkVisible(tree, (await kargsAreas())?.current, kargs);
  }
  const additions = mediumFiles.length === 0 ? [] : await planMediumFiles(tree, mediumFiles);
  return replaceData(place, { before: appendix, added, additions, files });
}

/**
 * Restores the released contents: an empty embed area, the default kernel arguments, and no appended data. Other changes of
 * the image are kept.
 * @throws FormatError if an area cannot be read; use `repairIso` then
 */
export async function resetIso(iso: LiveIso): Promise<ImageChange> {
  const hint = 'use `iso reset --force` to clear the reserved area';
  await iso.embeddedFiles().catch(
    only(FormatError, (cause) => {
      throw new FormatError(cause.message, { hint, cause });
    }),
  );
  await iso.kargsAreas();
  return repairIso(iso);
}

/**
 * Resets the image without reading the areas. Also removes data after the end of the volume.
 * @throws FormatError if the areas cannot be found
 */
export async function repairIso(iso: LiveIso): Promise<ImageChange> {
  const shortening = await takeBackAppendix(iso.tree);
  const original = shortening === undefined ? iso : await openLiveIso(changedImage(iso.image, shortening));
  const change = bothChanges(patchesOnly(await emptyAreas(original)), shortening ?? unchanged);
  const leftovers = await bytesBehind(original.tree);
  const files: EmbedFiles = new Map();
  return { ...change, files, ...(leftovers > 0 && { size: original.image.size - leftovers }) };
}

/** Restores only the kernel arguments. Throws CliError if the image reserves no area for them. */
export async function restoreDefaultKargs(iso: LiveIso): Promise<ImageChange> {
  return iso.change({ kargs: requireKargsAreas(await iso.kargsAreas()).defaults });
}

async function emptyAreas({ tree, embedArea }: LiveIso): Promise<Patch[]> {
  const emptied = fillEmbedArea(embedArea, new Uint8Array());
  const kargs = await findKargsLayout(tree);
  if (kargs === undefined) return emptied;
  refuseOverlap(kargs, embedArea);
  return [...emptied, ...writeKargs(kargs, kargs.defaults)];
}
