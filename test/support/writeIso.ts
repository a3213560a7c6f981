/** Writes ISO images without the contents of a live system. */

import { type IsoSpec, layoutIso } from '../../src/formats/iso9660/writer.ts';

/** A whole image in memory. */
export function writeIso9660(spec: IsoSpec, files: ReadonlyMap<string, Uint8Array>): Uint8Array {
  const layout = layoutIso(
    spec,
    [...files].map(([path, data]) => ({ path, size: data.length })),
  );
  const image = new Uint8Array(layout.size);
  for (const { offset, data } of layout.pieces) image.set(data, offset);
  for (const [path, { offset }] of layout.files) image.set(files.get(path) ?? [], offset);
  return image;
}
