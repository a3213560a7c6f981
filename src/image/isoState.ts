/**
 * What a live ISO contains besides the released image, as a whole. Each edit is a new state, and the change to it is the
 * difference from the original image: what earlier edits appended, and is not a part of the new state, is overwritten or cut
 * off, because it may contain secrets.
 */

import { append } from '../core/lists.ts';
import { CliError } from '../core/errors.ts';
import { SECTOR } from '../formats/iso9660/fields.ts';
import { type Appendix, originalImage, writeAppendix } from './appendix.ts';
import { type EmbedArea, type EmbedFiles, fillEmbedArea, findEmbedArea } from './embedArea.ts';
import { type Addition, checkGrowth, type Growth, planArchive } from './growth.ts';
import { checkDisjoint, type ImageChange } from './imageChange.ts';
import { writeInitrd } from './initrd.ts';
import { type IsoTree, openIsoTree, treesOf } from './isoTree.ts';
import { endOfImage, resizeVolume, wholeSectors } from './isoVolume.ts';
import { findKargsLayout, writeKargs } from './kargsAreas.ts';
import { type MediumFile, planMediumFiles } from './mediumFiles.ts';
import { type ByteRange, gapsIn, type Patch, patchRange, zeros } from './overlay.ts';

export interface IsoState {
  /** All files of the embed area. */
  readonly files: EmbedFiles;
  /** All files that were added to the medium. Those with an offset are on the image already, and come first. */
  readonly mediumFiles: readonly (MediumFile & { readonly offset?: number })[];
  /** The whole line of kernel arguments; undefined keeps the current one. */
  readonly kargs: string | undefined;
}

export interface CurrentIso {
  readonly tree: IsoTree;
  readonly embedArea: EmbedArea;
  /** What earlier edits appended. */
  readonly appendix: Appendix | undefined;
}

/** The original image, of which only the contents of the reserved areas are the current ones. */
export async function openOriginal({ appendix, embedArea, tree }: CurrentIso): Promise<{
  readonly tree: IsoTree;
  readonly area: EmbedArea;
}> {
  if (appendix === undefined) return { tree, area: embedArea };
  const original = await openIsoTree(originalImage(tree.image, appendix));
  return { tree: original, area: await findEmbedArea(original) };
}

/** @throws CliError if the state does not fit on the image, which may grow as far as `growth` permits */
export async function planState(iso: CurrentIso, state: IsoState, growth: Growth): Promise<ImageChange> {
  const { appendix, embedArea, tree } = iso;
  const { files, kargs, mediumFiles } = state;
  const original = await openOriginal(iso);
  const originalSize = original.tree.image.size;
  const archive = files.size === 0 ? new Uint8Array() : writeInitrd(files);
  const fits = archive.length <= original.area.length;
  checkGrowth(fits ? original.area : embedArea, archive, files, growth);
  const additions = [
    ...(await planMediumFiles(original.tree, mediumFiles)),
    ...(fits
      ? []
      : [await planArchive(await treesOf(original.tree), original.area, archive, embedArea, growth)]),
  ];
  const [placed, end] = placeFrom(wholeSectors(originalSize), additions);
  const appended = placed.slice(mediumFiles.filter(({ offset }) => offset !== undefined).length);
  const pointers = placed.flatMap(({ offset, pointAt }) => pointAt(offset));
  const data: Patch[] = [...appended, ...fillEmbedArea(original.area, fits ? archive : new Uint8Array())];
  let size = originalSize;
  let used: ByteRange[] = [];
  if (placed.length > 0) {
    const changing = [...pointers, ...(await resizeVolume(original.tree, end)).pointers].map(patchRange);
    const originals = await Promise.all(
      changing.map(async ({ length, offset }) => ({
        offset,
        data: await original.tree.image.read(offset, length),
      })),
    );
    const names = mediumFiles.map(({ name }, index) => ({
      name,
      ...(placed[index] ?? { size: 0, offset: 0 }),
    }));
    const record = writeAppendix({ originalSize, originals, mediumFiles: names });
    const volume = await resizeVolume(original.tree, end + record.length);
    append(pointers, volume.pointers);
    const last = [{ offset: end, data: record }, ...volume.backup];
    append(data, last);
    used = [...placed.map((it) => patchRange(it)), ...last.map(patchRange)];
    size = volume.size;
  }
  if (kargs !== undefined) append(data, writeKargs(await findKargsLayout(original.tree), kargs));
  // A file is truncated at its new end, but a block device keeps its size.
  const isCut = appendix !== undefined && tree.image.isDevice === true;
  const zerosEnd = isCut ? Math.min(tree.image.size, Math.max(size, await endOfImage(tree))) : size;
  const unused = gapsIn({ offset: originalSize, length: zerosEnd - originalSize }, used);
  return checkDisjoint({
    patches: [
      ...data,
      ...pointers,
      ...originalsExcept(appendix, pointers),
      ...unused.map(({ offset, length }) => ({ offset, data: zeros(length) })),
    ],
    size,
    files,
    kargs,
  });
}

/** The original bytes of the pointers that do not change again. */
function originalsExcept(appendix: Appendix | undefined, pointers: readonly Patch[]): Patch[] {
  const changing = pointers.map(patchRange);
  return (appendix?.originals ?? []).flatMap(({ data, offset }) =>
    gapsIn({ offset, length: data.length }, changing).map((gap) => ({
      offset: gap.offset,
      data: data.subarray(gap.offset - offset, gap.offset - offset + gap.length),
    })),
  );
}

/** Places each addition at the start of a sector, the first one at `start`. Returns the end of the last one, too. */
function placeFrom(
  start: number,
  additions: readonly Addition[],
): [placed: (Addition & { readonly offset: number })[], end: number] {
  let end = start;
  const placed = additions.map((addition) => {
    const offset = end;
    end += wholeSectors(addition.size);
    return { ...addition, offset };
  });
  if (end / SECTOR > 0xffff_fff0)
    throw new CliError('the image would exceed the maximum size of ISO 9660', { code: 'ERR_TOO_LARGE' });
  return [placed, end];
}
