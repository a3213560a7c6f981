/** Images as other programs write them: with a Joliet tree too. */

import { basename, dirname } from 'node:path/posix';
import { PARENT, SELF, writeDirectoryRecord } from '../../src/formats/iso9660/directory.ts';
import { putBoth32, SECTOR, viewOf } from '../../src/formats/iso9660/fields.ts';
import { type IsoSpec, layoutIso } from '../../src/formats/iso9660/writer.ts';
import { writeIso9660 } from './writeIso.ts';

/** UTF-16, big endian, as Joliet writes names. */
export function encodeUcs2(text: string): Uint8Array {
  return Uint8Array.from(Buffer.from(text, 'utf16le').swap16());
}

/** @param spec names an image to boot; Joliet's descriptor, with the texts of the primary one, takes the place of its boot record */
export function writeJolietIso(spec: IsoSpec, files: ReadonlyMap<string, Uint8Array>): Buffer {
  const primary = writeIso9660(spec, files);
  const sizes = Array.from(files, ([path, { length }]) => ({ path, size: length }));
  const places = new Map(layoutIso(spec, sizes).files);
  const folders = new Set(['.']);
  for (const path of files.keys()) for (let at = dirname(path); at !== '.'; at = dirname(at)) folders.add(at);
  [...folders].forEach((path, index) =>
    places.set(path, { offset: primary.length + index * SECTOR, size: SECTOR }),
  );
  const record = (path: string, identifier = encodeUcs2(basename(path))): Uint8Array => {
    const { offset = 0, size = 0 } = places.get(path) ?? {};
    const extent = { sector: offset / SECTOR, size, isDirectory: folders.has(path) };
    return writeDirectoryRecord({ ...extent, identifier, date: spec.date, systemUse: Buffer.alloc(0) });
  };
  const directories = Array.from(folders, (folder) => {
    const children = [...places.keys()].filter((path) => path !== '.' && dirname(path) === folder);
    const records = children.map((path) => record(path));
    return Buffer.concat([record(folder, SELF), record(dirname(folder), PARENT), ...records], SECTOR);
  });
  const image = Buffer.concat([primary, ...directories]);
  putBoth32(viewOf(image), 16 * SECTOR + 80, image.length / SECTOR);
  image.copy(image, 17 * SECTOR, 16 * SECTOR, 17 * SECTOR);
  const joliet = image.subarray(17 * SECTOR);
  joliet[0] = 2;
  joliet.write('%/E', 88);
  joliet.set(record('.', SELF), 156);
  return image;
}
