/**
 * A live ISO as it was released: nothing in the embed area, the default kernel arguments, and nothing behind its end that this
 * program appended. Whatever else was changed stays.
 */

import { FormatError } from '../core/errors.ts';
import { takeBackAppendix } from './appendToImage.ts';
import { fillEmbedArea } from './embedArea.ts';
import { bothChanges, changedImage, type ImageChange, patchesOnly, unchanged } from './imageChange.ts';
import { bytesBehind } from './imageEnd.ts';
import { findKargsLayout, refuseOverlap, requireKargsAreas, writeKargs } from './kargsAreas.ts';
import { type LiveIso, openLiveIso } from './liveIso.ts';
import type { Patch } from './overlay.ts';

/** @throws FormatError where the areas hold what no program put there; `repairIso` does not mind */
export async function resetIso(iso: LiveIso): Promise<ImageChange> {
  await checkEmbedded(iso);
  await iso.kargsAreas();
  return repairIso(iso);
}

/**
 * The same without a look at what the areas hold. What is behind the image and belongs to nothing goes, too.
 * @throws FormatError where it is not known where the areas are
 */
export async function repairIso(iso: LiveIso): Promise<ImageChange> {
  const shortening = await takeBackAppendix(iso);
  const original = shortening === undefined ? iso : await openLiveIso(changedImage(iso.image, shortening));
  const change = bothChanges(patchesOnly(await emptyAreas(original)), shortening ?? unchanged);
  const leftovers = await bytesBehind(original.image, original.tree);
  return leftovers === 0 ? change : { ...change, size: original.image.size - leftovers };
}

/** Only the kernel arguments. Throws CliError where the image has no place for them. */
export async function resetKargs(iso: LiveIso): Promise<ImageChange> {
  return iso.change({ kargs: requireKargsAreas(await iso.kargsAreas()).defaults });
}

async function checkEmbedded(iso: LiveIso): Promise<void> {
  try {
    await iso.embeddedFiles();
  } catch (error) {
    if (!(error instanceof FormatError)) throw error;
    throw new FormatError(error.message, {
      hint: '`iso reset --force` empties the embed area, whatever it holds',
      cause: error,
    });
  }
}

async function emptyAreas({ image, tree, embedArea }: LiveIso): Promise<Patch[]> {
  const emptied = fillEmbedArea(embedArea, new Uint8Array());
  const kargs = await findKargsLayout(image, tree);
  if (kargs === undefined) return emptied;
  refuseOverlap(kargs, embedArea);
  return [...emptied, ...writeKargs(kargs, kargs.defaults)];
}
