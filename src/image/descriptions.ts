/** Where an image describes itself: what no area may overlap, since writing it would make the image unreadable. */

import type { IsoTree } from './isoTree.ts';
import type { ByteRange } from './overlay.ts';

/** Says which file is the embed area. */
export const EMBED_INFO_PATH = 'coreos/igninfo.json';

/**
 * The start of the image, those of its directories that have been read, and the given files. They should be files that
 * made sense: a damaged record may claim any place.
 */
export async function findDescriptions(
  tree: IsoTree,
  paths: readonly string[],
): Promise<readonly ByteRange[]> {
  const files = await Promise.all(paths.map((path) => tree.find(path)));
  return [
    ...tree.structure(),
    ...files.flatMap((file) => (file?.kind === 'file' ? [{ offset: file.offset, length: file.size }] : [])),
  ];
}
