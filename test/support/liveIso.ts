/** Synthetic live ISOs in the layouts of all generations, from the program's own writer. None of them boots. */

import { crc32 } from 'node:zlib';
import { layoutIso } from '../../src/formats/iso9660/writer.ts';
import { bootConfigs, defaultKargs, sampleFiles } from './sampleIso.ts';
import { EMBED_AREA_SIZE } from '../../src/image/embeddedIgnition.ts';
import { writeJolietIso } from './jolietIso.ts';

export type Layout = '2023-07' | '2022-02' | '2021-09' | '2021-01' | '2020-09' | 's390x';

export const layouts: readonly Layout[] = ['2023-07', '2022-02', '2021-09', '2021-01', '2020-09', 's390x'];

const LABEL = 'fedora-coreos-99.20990101.dev.0';
const SPEC = {
  volumeId: LABEL,
  date: new Date('2023-11-14T22:13:20Z'),
  boot: { bios: 'README.txt' },
};
const KARGS_AREA = 1024;
/** End of the system area; the legacy headers lie just before it. */
const SYSTEM_AREA_END = 32_768;

const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text);
const json = (value: unknown): Uint8Array => utf8(`${JSON.stringify(value, undefined, 2)}\n`);

/** The image of a layout, always the same. */
export function liveIso(layout: Layout): Uint8Array {
  if (layout === '2023-07') return writeJolietIso(SPEC, sampleFiles(LABEL));
  if (layout === 's390x') return writeJolietIso(SPEC, s390xFiles());
  return olderIso(layout);
}

/** The current layout as isohybrid leaves it: padded to 1 MiB, with boot record and partition table. */
export function hybridIso(): Uint8Array {
  const iso = liveIso('2023-07');
  const image = Buffer.alloc(1024 * 1024);
  image.set(iso);
  image.writeUInt32LE(image.length / 512, 446 + 12);
  image.writeUInt16BE(0x55aa, 510);
  const entries = image.subarray(1024, 1024 + 128 * 128);
  entries.write('ISOHybrid type  ');
  entries.write('its own GUID    ', 16);
  entries.writeBigUInt64LE(BigInt(iso.length / 512 - 1), 40);
  writeGptHeader(image, { self: 1, backup: 2047, entriesAt: 2 });
  entries.copy(image, 2015 * 512);
  writeGptHeader(image, { self: 2047, backup: 1, entriesAt: 2015 });
  return image;
}

function writeGptHeader(image: Buffer, at: { self: number; backup: number; entriesAt: number }): void {
  const header = image.subarray(at.self * 512, at.self * 512 + 512);
  header.write('EFI PART');
  header.writeUInt32LE(0x10000, 8);
  header.writeUInt32LE(92, 12);
  header.writeBigUInt64LE(BigInt(at.self), 24);
  header.writeBigUInt64LE(BigInt(at.backup), 32);
  header.writeBigUInt64LE(34n, 40);
  header.writeBigUInt64LE(2014n, 48);
  header.writeBigUInt64LE(BigInt(at.entriesAt), 72);
  header.writeUInt32LE(128, 80);
  header.writeUInt32LE(128, 84);
  header.writeUInt32LE(crc32(image.subarray(1024, 1024 + 128 * 128)), 88);
  header.writeUInt32LE(crc32(header.subarray(0, 92)), 16);
}

/** The image with its files changed by `edit`, e.g. to damage one. */
export function liveIsoWith(edit: (files: Map<string, Uint8Array>) => void): Uint8Array {
  const files = sampleFiles(LABEL);
  edit(files);
  return writeJolietIso(SPEC, files);
}

function olderIso(layout: Exclude<Layout, '2023-07' | 's390x'>): Uint8Array {
  const files = sampleFiles(LABEL);
  const kargs = defaultKargs(LABEL);
  const hasArea = layout !== '2020-09';
  const hasKargsInfo = layout === '2022-02' || layout === '2021-09';
  const configs = hasArea ? configTexts(kargs) : bootConfigs(`${kargs}\n`);
  for (const [path, text] of configs) files.set(path, utf8(text));
  files.delete('coreos/igninfo.json');
  files.delete('coreos/kargs.json');
  if (layout === '2022-02') {
    files.set('coreos/features.json', json({ 'installer-config': true, 'live-initrd-network': true }));
  } else {
    files.delete('coreos/features.json');
  }
  if (hasKargsInfo) files.set('coreos/kargs.json', json(kargsInfo(configs, kargs)));
  if (layout === '2021-01' || layout === '2021-09') {
    files.set('.cmdline', utf8(`${kargs}\n`.padEnd(kargs.length + KARGS_AREA, '#')));
  }
  return layout === '2022-02' ? writeJolietIso(SPEC, files) : writeWithHeader(files, kargs);
}

function configTexts(kargs: string): Map<string, string> {
  return bootConfigs(`${kargs}\n${'#'.repeat(KARGS_AREA)} COREOS_KARG_EMBED_AREA\n`);
}

function kargsInfo(configs: ReadonlyMap<string, string>, kargs: string): object {
  const files = [...configs].map(([path, text]) => ({ offset: text.indexOf(kargs), path }));
  return { default: kargs, files, size: kargs.length + KARGS_AREA };
}

/** Headers of images before 2022: `coreiso+` with the embed area, `coreKarg` with the areas of kernel arguments. */
function writeWithHeader(files: ReadonlyMap<string, Uint8Array>, kargs: string): Uint8Array {
  const places = layoutIso(
    SPEC,
    [...files].map(([path, data]) => ({ path, size: data.length })),
  ).files;
  const offsetOf = (path: string): number => places.get(path)?.offset ?? 0;
  const image = writeJolietIso(SPEC, files);
  image.write('coreiso+', SYSTEM_AREA_END - 24, 'latin1');
  image.writeBigUInt64LE(BigInt(offsetOf('images/ignition.img')), SYSTEM_AREA_END - 16);
  image.writeBigUInt64LE(BigInt(EMBED_AREA_SIZE), SYSTEM_AREA_END - 8);
  if (!files.has('.cmdline')) return image;
  const areas = ['EFI/fedora/grub.cfg', 'isolinux/isolinux.cfg'].map(
    (path) => offsetOf(path) + Buffer.from(files.get(path) ?? []).indexOf(kargs),
  );
  const numbers = [kargs.length + KARGS_AREA, offsetOf('.cmdline'), ...areas.toSorted((a, b) => a - b)];
  image.write('coreKarg', SYSTEM_AREA_END - 96, 'latin1');
  numbers.forEach((value, index) => image.writeBigUInt64LE(BigInt(value), SYSTEM_AREA_END - 88 + index * 8));
  return image;
}

/** Both areas lie inside the one boot image: kernel arguments at 66688, the embed area at its end. */
function s390xFiles(): Map<string, Uint8Array> {
  const files = sampleFiles(LABEL);
  for (const path of [
    'EFI/fedora/grub.cfg',
    'isolinux/isolinux.cfg',
    'images/efiboot.img',
    'images/ignition.img',
  ]) {
    files.delete(path);
  }
  const kargs = defaultKargs(LABEL);
  const kernel = Buffer.alloc(131_072, 7);
  const initrd = files.get('images/pxeboot/initrd.img') ?? new Uint8Array();
  kernel.writeBigUInt64BE(BigInt(kernel.length), 66_568);
  kernel.writeBigUInt64BE(BigInt(initrd.length + EMBED_AREA_SIZE), 66_576);
  kernel.fill(0, 66_688, 66_688 + 896).write(kargs, 66_688);
  files.set('images/cdboot.img', Buffer.concat([kernel, initrd, new Uint8Array(EMBED_AREA_SIZE)]));
  const offset = kernel.length + initrd.length;
  files.set('coreos/igninfo.json', json({ file: 'images/cdboot.img', length: EMBED_AREA_SIZE, offset }));
  const area = { end: '\0', offset: 66_688, pad: '\0', path: 'images/cdboot.img' };
  files.set('coreos/kargs.json', json({ default: kargs, files: [area], size: 896 }));
  return files;
}
