/** The boot catalogue, byte by byte: firmware reads no other. */

import { describe, expect, it } from 'vitest';
import { type BootImage, writeBootCatalog } from '../../../src/formats/iso9660/writer.ts';

const bios: BootImage = { platform: 'bios', sector: 0x1234, blocks: 4 };
const efi: BootImage = { platform: 'efi', sector: 0x5678, blocks: 0xffff };
const large: BootImage = { platform: 'efi', sector: 1, blocks: 0x1_0005 };

/** What is not zero, by its offset in entries of 32 bytes. */
function entriesOf(images: readonly BootImage[]): string[] {
  const catalog = Buffer.from(writeBootCatalog(images));
  expect(catalog).toHaveLength(2048);
  const entries = Array.from({ length: 64 }, (_, index) =>
    catalog.toString('hex', index * 32, index * 32 + 32),
  );
  expect(entries.slice(8).every((entry) => /^0+$/.test(entry))).toBe(true);
  return entries.slice(0, 8).map((entry) => entry.replace(/0+$/, ''));
}

const forBios = '01000000000000000000000000000000000000000000000000000000aa5555aa';
const forEfi = '01ef0000000000000000000000000000000000000000000000000000aa6655aa';

describe('writeBootCatalog', () => {
  it.each<[string, BootImage[], string[]]>([
    ['nothing', [], []],
    ['one image', [bios], [forBios, '880000000000040034120000']],
    ['an image that firmware loads to its end', [large], [forEfi, '880000000000000001']],
    [
      'a second one as the last section',
      [bios, efi],
      [forBios, '880000000000040034120000', '91ef01', '880000000000ffff78560000'],
    ],
    [
      'a third one behind a section that is not the last',
      [efi, bios, efi],
      [
        forEfi,
        '880000000000ffff78560000',
        '900001',
        '880000000000040034120000',
        '91ef01',
        '880000000000ffff78560000',
      ],
    ],
  ])('has %s', (_title, images, expected) => {
    const entries = expected.map((entry) => entry.replace(/0+$/, ''));
    expect(entriesOf(images)).toEqual([...entries, ...Array<string>(8 - entries.length).fill('')]);
  });
});
