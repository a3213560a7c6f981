/** A full live ISO and the minimal one of the same build, which have most files at different places. Neither boots. */

import { createHash } from 'node:crypto';
import { openIsoTree } from '../../src/image/isoTree.ts';
import type { MinisoData } from '../../src/image/minimalIso/minisoData.ts';
import { bytesAccess } from '../../src/image/overlay.ts';
import { isoEntries } from './isoEntries.js';
import { liveIsoWith } from './liveIso.ts';
import { storeXz } from './xzStreams.ts';

export interface IsoPair {
  /** With a rootfs of 3 MB and an empty `coreos/miniso.dat`. */
  readonly full: Uint8Array;
  readonly minimal: Uint8Array;
}

export const rootfs = createHash('shake256', { outputLength: 3_000_001 }).update('rootfs').digest();

/** Always the same, but for what `edit` does to the files of both. */
export function isoPair(edit: (files: Map<string, Uint8Array>) => void = () => undefined): IsoPair {
  const full = liveIsoWith((files) => {
    files.set('images/pxeboot/rootfs.img', rootfs); // keeps its place before the embed area
    files.set('coreos/miniso.dat', new Uint8Array(131_072));
    edit(files);
  });
  const minimal = liveIsoWith((files) => {
    files.delete('images/pxeboot/rootfs.img');
    edit(files);
  });
  return { full, minimal };
}

/** The full ISO, with the data in `coreos/miniso.dat` from which the minimal ISO can be extracted. */
export async function packedIso({ full, minimal }: IsoPair = isoPair()): Promise<Uint8Array> {
  const fullTree = await openIsoTree(bytesAccess(full));
  const files: MinisoData['files'][number][] = [];
  for await (const { path, entry } of isoEntries(await openIsoTree(bytesAccess(minimal)))) {
    const original = entry.kind === 'file' && entry.size > 0 ? await fullTree.find(path) : undefined;
    if (original === undefined) continue;
    files.push({
      minimalSector: entry.offset / 2048,
      fullSector: original.offset / 2048,
      length: entry.size,
    });
  }
  files.sort((a, b) => a.minimalSector - b.minimalSector);
  const gaps: Uint8Array[] = [];
  let end = 0;
  for (const { minimalSector, length } of files) {
    gaps.push(minimal.subarray(end, minimalSector * 2048));
    end = minimalSector * 2048 + length;
  }
  const packed = storeXz(Buffer.concat([...gaps, minimal.subarray(end)]));
  const digest = createHash('sha256').update(minimal).digest();
  const data = encodeMinisoData({ files, digest, packed });
  const room = await fullTree.find('coreos/miniso.dat');
  if (room === undefined || data.length > room.size) throw new Error(`miniso.dat has ${data.length} bytes`);
  const image = Buffer.from(full);
  image.set(data, room.offset);
  return image;
}

export function encodeMinisoData({ files, digest, packed }: MinisoData): Uint8Array {
  const numbers = files.flatMap((file) => [file.minimalSector, file.fullSector, file.length]);
  return Buffer.concat([
    Buffer.from('MINISO\0\0'),
    bincodeNumber(1),
    bincodeBytes(Buffer.from('the tests')),
    bincodeNumber(files.length),
    ...numbers.map(bincodeNumber),
    digest,
    bincodeBytes(packed),
  ]);
}

/** Encodes a number from 0 to 2^53 in its shortest form. */
export function bincodeNumber(value: number): Uint8Array {
  if (value < 251) return Uint8Array.of(value);
  const bytes = Buffer.alloc(9);
  bytes.writeBigUInt64LE(BigInt(value), 1);
  const width = value < 2 ** 16 ? 2 : value < 2 ** 32 ? 4 : 8;
  bytes[0] = 250 + Math.log2(width);
  return bytes.subarray(0, 1 + width);
}

/** Encodes the length and the bytes. */
export function bincodeBytes(bytes: Uint8Array): Uint8Array {
  return Buffer.concat([bincodeNumber(bytes.length), bytes]);
}
