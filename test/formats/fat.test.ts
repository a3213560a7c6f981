import { describe, expect, it } from 'vitest';
import { FormatError } from '../../src/core/errors.ts';
import { listFatFiles } from '../../src/formats/fat.ts';
import { fatImage, mtoolsImage } from '../support/fatImage.ts';
import { have, oracleNote } from '../support/programs.ts';
import { survivesBitFlips, survivesNoise } from './damage.ts';

const noise = (length: number, seed: number): Buffer =>
  Buffer.from(Array.from({ length }, (_, index) => (index * 31 + (index >> 8) * 7 + seed) & 0xff));

const files = new Map([
  ['EFI/BOOT/BOOTX64.EFI', noise(900_000, 1)],
  ['EFI/fedora/shimx64.efi', noise(70_001, 2)],
  ['EFI/fedora/grubx64.efi', noise(512, 3)],
  ['EFI/fedora/empty.cfg', Buffer.alloc(0)],
]);

const readAll = (image: Buffer): Map<string, Buffer> =>
  new Map(listFatFiles(image).map((file) => [file.path, file.read()]));

const decode = (bytes: Uint8Array) => readAll(Buffer.from(bytes));

/** Firmware compares names without regard to case. */
const shortNamed = (all: ReadonlyMap<string, Buffer>): Map<string, Buffer> =>
  new Map(Array.from(all, ([path, content]) => [path.toUpperCase(), content]));

const sound = fatImage(files);

describe('listFatFiles', () => {
  it('lists and reads the files of all folders', () => {
    expect(readAll(sound)).toEqual(shortNamed(files));
  });

  const many = new Map([
    ...files,
    ...Array.from({ length: 40 }, (_, index): [string, Buffer] => [
      `EFI/many/file-${index}.cfg`,
      noise(index, index),
    ]),
  ]);
  it.skipIf(!have('mtools')).each([12, 16, 32] as const)(
    `reads the same bytes as mtools from FAT%i${oracleNote('mtools')}`,
    (bits) => {
      const read = readAll(mtoolsImage(many, bits));
      const expected = shortNamed(many);
      expect([...read.keys()].toSorted()).toEqual([...expected.keys()].toSorted());
      const others = [...expected].filter(([path, content]) => read.get(path)?.equals(content) !== true);
      expect(others).toEqual([]);
    },
    60_000,
  );

  /** Where the entries of the root and the table are in `sound`. */
  const [TABLE, tableSectors] = [512, sound.readUInt16LE(22)];
  const root = TABLE + tableSectors * 512;
  const folder = sound.readUInt16LE(root + 26);
  const offsetOf = (cluster: number): number => root + 512 + (cluster - 2) * 512;
  it.each<[title: string, change: (image: Buffer) => void]>([
    ['no boot sector', (image) => image.fill(0, 510, 512)],
    ['no sectors', (image) => image.writeUInt16LE(0, 11)],
    ['no clusters', (image) => image.writeUInt8(0, 13)],
    ['more sectors than bytes', (image) => image.writeUInt16LE(65_535, 19)],
    ['a table that is too small', (image) => image.writeUInt16LE(1, 22)],
    ['a folder that contains itself', (image) => image.writeUInt16LE(folder, offsetOf(folder) + 26)],
    ['a chain that is a circle', (image) => image.fill(0x22, TABLE + 3, root)],
    ['a chain that leads out of the image', (image) => image.fill(0xee, TABLE + 3, root)],
    ['a free cluster in a chain', (image) => image.fill(0, TABLE + 3, root)],
  ])('refuses %s', (_title, change) => {
    const image = Buffer.from(sound);
    change(image);
    expect(() => readAll(image)).toThrow(FormatError);
  });

  it('survives damage', async () => {
    const small = fatImage(new Map([['EFI/a/b.efi', noise(3000, 1)]]));
    await expect(survivesBitFlips(small, decode)).resolves.toBeUndefined();
    await expect(survivesNoise(small.subarray(0, 512), decode)).resolves.toBeUndefined();
  });
});
