import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FormatError } from '../../../src/core/errors.ts';
import { layoutIso } from '../../../src/formats/iso9660/writer.ts';
import { openIsoTree } from '../../../src/image/isoTree.ts';
import { bytesAccess, overlay, zeros, type RandomAccess } from '../../../src/image/overlay.ts';
import { isoEntries } from '../../support/isoEntries.js';
import { have, oracleNote } from '../../support/programs.ts';
import { writeIso9660 } from '../../support/writeIso.ts';

const spec = { volumeId: 'fedora-coreos-38', date: new Date('2023-11-14T22:13:20Z') };
const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text);

const tree = new Map<string, Uint8Array>([
  ['coreos/igninfo.json', utf8('{"file": "images/ignition.img"}\n')],
  ['images/ignition.img', new Uint8Array(262_144)],
  ['images/efiboot.img', new Uint8Array(40_960).fill(3)],
  ['isolinux/isolinux.bin', new Uint8Array(4000).fill(7)],
  ['empty', utf8('')],
  ['.cmdline', utf8('mitigations=auto\n')],
  [`long/${'n'.repeat(128)}`, utf8('longest')],
  [`long/${'m'.repeat(100)}é😀`, utf8('long')],
  ['a/b/c/d/e/f/g', utf8('deep')],
  ...Array.from({ length: 200 }, (_, index): [string, Uint8Array] => [
    `many/some-file-${index}.json`,
    utf8(`content ${index}`),
  ]),
]);
const bootable = { ...spec, boot: { bios: 'isolinux/isolinux.bin', efi: 'images/efiboot.img' } };

describe('writeIso', () => {
  it('gives equal bytes for equal input', () => {
    expect(writeIso9660(bootable, tree)).toEqual(writeIso9660(bootable, tree));
  });

  it.each([
    ['an empty path', ''],
    ['an absolute path', '/a'],
    ['a path that leads out', '../a'],
    ['too many levels', 'a/b/c/d/e/f/g/h/i'],
    ['a name of 129 bytes', 'n'.repeat(129)],
    ['a folder that is a file', 'empty/x'],
  ])('refuses %s', (_title, path) => {
    expect(() => writeIso9660(spec, new Map([...tree, [path, utf8('x')]]))).toThrow(FormatError);
  });

  it('marks the records of children as named, and those of a folder and its parent as nameless', () => {
    const image = Buffer.from(writeIso9660(spec, new Map([['folder/file', utf8('x')]]))).toString('hex');
    // Rock Ridge 1.09, RR: bit 0 is for PX, bit 3 for NM, bit 7 for TF.
    const countOf = (flags: string): number => image.split(`52520501${flags}`).length - 1;
    expect([countOf('89'), countOf('81')]).toEqual([2, 4]);
  });

  it('gives all users the permission to read files, and to enter folders', () => {
    const image = Buffer.from(writeIso9660(spec, new Map([['folder/file', utf8('x')]]))).toString('hex');
    // Rock Ridge 1.09, PX: the mode in both byte orders.
    const countOf = (modes: string): number => image.split(`50582401${modes}`).length - 1;
    const [file, folder] = ['2481000000008124', '6d4100000000416d']; // 0100444 and 040555
    expect([countOf(file), countOf(folder), countOf('')]).toEqual([1, 5, 6]);
  });

  it('lays out large files without their content', () => {
    const size = 3 * 2 ** 30;
    const layout = layoutIso(spec, [
      { path: 'images/pxeboot/rootfs.img', size },
      { path: 'last', size: 1 },
    ]);
    const rootfs = layout.files.get('images/pxeboot/rootfs.img');
    expect(layout.files.get('last')?.offset).toBe((rootfs?.offset ?? 0) + size);
    expect(layout.size).toBe((rootfs?.offset ?? 0) + size + 2048);
  });

  it('gives files of 4 GiB and more several extents, which our own reader joins', async () => {
    const size = 9 * 2 ** 30 + 5;
    const { image, offset } = largeImage(size);
    const iso = await openIsoTree(image);
    expect(await iso.find('large')).toMatchObject({ kind: 'file', size, offset });
  });

  it.each([
    ['as it is', 4 * 2 ** 20, 8192],
    ['as all that follows where it does not fit', 40 * 2 ** 20, 0],
  ])('gives firmware the size of the EFI image %s', (_title, size, blocks) => {
    const layout = layoutIso({ ...spec, boot: { efi: 'efi.img' } }, [{ path: 'efi.img', size }]);
    const catalog = layout.pieces.find(({ data }) => data[0] === 1 && data[1] === 0xef)?.data ?? [];
    expect(Buffer.from(catalog).readUInt16LE(32 + 6)).toBe(blocks);
  });

  it('writes many directories in little time', () => {
    const files = Array.from({ length: 3_000 }, (_, index) => ({ path: `d${index}/f`, size: 0 }));
    expect(layoutIso(spec, files).files.size).toBe(3_000);
  });

  it('is read back by our own reader, whatever the tree', async () => {
    await fc.assert(
      fc.asyncProperty(randomTree, async (files) => {
        const image = bytesAccess(writeIso9660(spec, files));
        const iso = await openIsoTree(image);
        for (const [path, content] of files) {
          const entry = await iso.find(path);
          expect(entry?.kind).toBe('file');
          expect(entry && Buffer.from(await iso.readFile(entry, { maxBytes: 10_000 }))).toEqual(
            Buffer.from(content),
          );
        }
        const paths: string[] = [];
        for await (const { path, entry } of isoEntries(iso)) if (entry.kind === 'file') paths.push(path);
        expect(paths.toSorted()).toEqual([...files.keys()].toSorted());
      }),
      { numRuns: 60 },
    );
  });
});

/** An image with a file of this size, of which nothing is written. */
function largeImage(size: number): { image: RandomAccess; offset: number } {
  const layout = layoutIso(spec, [
    { path: 'large', size },
    { path: 'last', size: 1 },
  ]);
  const offset = layout.files.get('large')?.offset ?? 0;
  return { image: overlay(zeros(layout.size), layout.pieces), offset };
}

const name = fc
  .string({ minLength: 1, maxLength: 32, unit: fc.constantFrom('a', 'B', '.', '-', ' ', 'é', '😀', '7') })
  .filter((text) => !['.', '..'].includes(text));
const randomTree = fc
  .array(fc.tuple(fc.array(name, { minLength: 1, maxLength: 4 }), fc.uint8Array({ maxLength: 5000 })), {
    maxLength: 40,
  })
  .map((files) => {
    const folders = new Set<string>();
    const result = new Map<string, Uint8Array>();
    for (const [parts, content] of files) {
      const path = parts.join('/');
      const above = parts.map((_, index) => parts.slice(0, index).join('/'));
      if (result.has(path) || folders.has(path) || above.some((folder) => result.has(folder))) continue;
      for (const folder of above) folders.add(folder);
      result.set(path, content);
    }
    return result;
  });

const run = (program: string, ...args: string[]): string =>
  execFileSync(program, args, {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, LC_ALL: 'C.UTF-8' },
  });

describe('other programs read what writeIso9660 makes', () => {
  let folder = '';
  let iso = '';
  const paths = [...tree.keys()].toSorted();
  const filesIn = (listing: readonly string[]): string[] =>
    listing.filter((path) => tree.has(path)).toSorted();

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'iso writer '));
    iso = join(folder, 'image.iso');
    writeFileSync(iso, writeIso9660(bootable, tree));
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  it.skipIf(!have('bsdtar'))(`bsdtar lists and extracts it${oracleNote('bsdtar')}`, () => {
    expect(filesIn(run('bsdtar', 'tf', iso).split('\n'))).toEqual(paths);
    expect(run('bsdtar', 'xOf', iso, 'many/some-file-123.json')).toBe('content 123');
  });

  it.skipIf(!have('bsdtar'))(`bsdtar joins several extents${oracleNote('bsdtar')}`, async () => {
    const size = 5 * 2 ** 30 + 5;
    const { image } = largeImage(size);
    const path = join(folder, 'large.iso');
    writeFileSync(path, await image.read(0, 1024 * 1024));
    truncateSync(path, image.size);
    const line = run('bsdtar', 'tvf', path, 'large');
    rmSync(path);
    expect(line.trim().split(/\s+/)[4]).toBe(String(size));
  });

  it.skipIf(!have('isoinfo'))(`isoinfo reads both kinds of names${oracleNote('isoinfo')}`, () => {
    const rockRidge = run('isoinfo', '-f', '-R', '-i', iso).split('\n');
    expect(filesIn(rockRidge.map((path) => path.slice(1)))).toEqual(paths);
    expect(run('isoinfo', '-f', '-i', iso)).toContain('/COREOS/IGNINFO.JSO;1\n');
    expect(run('isoinfo', '-R', '-i', iso, '-x', '/many/some-file-7.json')).toBe('content 7');
    expect(run('isoinfo', '-p', '-i', iso)).toMatch(/COREOS/);
    expect(run('isoinfo', '-d', '-i', iso)).toMatch(/Rock Ridge signatures version 1 found[^]*bootable/);
  });

  it.skipIf(!have('xorriso'))(`xorriso finds every file and both boot images${oracleNote('xorriso')}`, () => {
    const found = run('xorriso', '-indev', iso, '-find', '/', '-type', 'f').split('\n');
    expect(filesIn(found.map((line) => line.replace(/^'\/(.*)'$/, '$1')))).toEqual(paths);
    const boot = run('xorriso', '-indev', iso, '-report_el_torito', 'plain');
    expect(boot).toMatch(/BIOS\s+y[^]*UEFI\s+y[^]*isolinux\.bin[^]*efiboot\.img/);
  });

  it.skipIf(!have('coreos-installer'))(`coreos-installer parses it${oracleNote('coreos-installer')}`, () => {
    expect(JSON.parse(run('coreos-installer', 'dev', 'show', 'iso', iso))).toMatchObject({
      records: expect.arrayContaining(['COREOS/IGNINFO.JSO']),
    });
  });
});
