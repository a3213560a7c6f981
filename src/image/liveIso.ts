/** A CoreOS live ISO: its contents, and changes that embed files or reset it. This module does not write to the image. */

import { once } from '../core/once.ts';
import { FormatError, only } from '../core/errors.ts';
import { readAppendix } from './appendix.ts';
import { type EmbedArea, type EmbedFiles, findEmbedArea, readEmbedArea } from './embedArea.ts';
import type { Growth } from './growth.ts';
import type { ImageChange } from './imageChange.ts';
import { openOriginal, planState } from './isoState.ts';
import { type IsoTree, openIsoTree } from './isoTree.ts';
import { bytesBehind } from './isoVolume.ts';
import {
  findKargsAreas,
  findKargsLayout,
  type KargsAreas,
  requireKargsAreas,
  writeKargs,
} from './kargsAreas.ts';
import { type LiveFeatures, readIsoFeatures } from './liveFeatures.ts';
import { type MediumFile, refuseInvisible } from './mediumFiles.ts';
import { type ImageAccess, slice } from './overlay.ts';

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
  const embedArea = await findEmbedArea(tree);
  const iso = {
    image,
    tree,
    label: tree.volume.volumeId,
    embedArea,
    embeddedFiles: once(() => readEmbedArea(image, embedArea)),
    kargsAreas: once(() => findKargsAreas(tree)),
    features: once(() => readIsoFeatures(tree)),
  };
  return { ...iso, change: (contents) => changeContents(iso, contents, growth) };
}

async function changeContents(
  iso: Omit<LiveIso, 'change'>,
  { files, kargs, mediumFiles: added = [] }: IsoContents,
  growth: Growth,
): Promise<ImageChange> {
  const { embedArea, image, tree } = iso;
  const appendix = await readAppendix(tree);
  const present = (appendix?.mediumFiles ?? []).map(({ name, offset, size }) => ({
    name,
    offset,
    content: slice(image, { offset, length: size }),
  }));
  const mediumFiles = [...present, ...added];
  if (mediumFiles.length > 0) {
    await refuseInvisible(tree, (await iso.kargsAreas())?.current, kargs);
  }
  if (files === undefined && added.length === 0) {
    return kargs === undefined
      ? { patches: [] }
      : { patches: writeKargs(await iso.kargsAreas(), kargs), kargs };
  }
  const state = { files: files ?? (await iso.embeddedFiles()), kargs, mediumFiles };
  return planState({ appendix, embedArea, tree }, state, growth);
}

/**
 * Restores the released contents: an empty embed area, the default kernel arguments, and no appended data. Other changes of
 * the image are kept.
 * @throws FormatError if an area cannot be read; use `resetDamagedIso` then
 */
export async function resetIso(iso: LiveIso): Promise<ImageChange> {
  const hint = 'use `iso reset --force` to clear the reserved area';
  await iso.embeddedFiles().catch(
    only(FormatError, (cause) => {
      throw new FormatError(cause.message, { hint, cause });
    }),
  );
  await iso.kargsAreas();
  return resetDamagedIso(iso);
}

/**
 * Resets the image without reading the areas. Also removes data after the end of the volume.
 * @throws FormatError if the areas cannot be found
 */
export async function resetDamagedIso({ embedArea, tree }: LiveIso): Promise<ImageChange> {
  const current = { appendix: await readAppendix(tree), embedArea, tree };
  const original = (await openOriginal(current)).tree;
  const released = {
    files: new Map(),
    mediumFiles: [],
    kargs: (await findKargsLayout(original))?.defaults,
  };
  const size = original.image.size - (await bytesBehind(original));
  return { ...(await planState(current, released, 'refused')), size };
}

/** Restores only the kernel arguments. Throws CliError if the image reserves no area for them. */
export async function restoreDefaultKargs(iso: LiveIso): Promise<ImageChange> {
  return iso.change({ kargs: requireKargsAreas(await iso.kargsAreas()).defaults });
}
