import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FormatError } from '../../../src/core/errors.ts';
import {
  readVolumeDescriptor,
  writeBootRecord,
  writeTerminator,
  writeVolumeDescriptor,
} from '../../../src/formats/iso9660/descriptors.ts';
import { encodeUcs2 } from '../../support/jolietIso.ts';

const spec = {
  volumeId: 'fedora-coreos-38',
  volumeSpaceSize: 70_000,
  root: { sector: 24, size: 2048 },
  date: new Date('2023-11-14T22:13:20Z'),
  pathTable: { size: 10, littleEndianSector: 20, bigEndianSector: 21 },
};
const facts = {
  volumeId: 'fedora-coreos-38',
  volumeSpaceSize: 70_000,
  root: { sector: 24, size: 2048 },
};
const rootRecord = new Uint8Array(34);
new DataView(rootRecord.buffer).setUint32(2, 24, true);
new DataView(rootRecord.buffer).setUint32(10, 2048, true);

describe('volume descriptors', () => {
  it.each([
    ['primary', writeVolumeDescriptor(spec, rootRecord), { type: 'primary', ...facts }],
    ['boot record', writeBootRecord(99), { type: 'other' }],
    ['terminator', writeTerminator(), { type: 'terminator' }],
  ])('%s: what was written is read', (_title, sector, expected) => {
    expect(sector).toHaveLength(2048);
    expect(readVolumeDescriptor(sector)).toEqual(expected);
  });

  it.each([
    ['a sector without the standard identifier', new Uint8Array(2048)],
    ['less than a sector', writeTerminator().subarray(0, 2000)],
    ['blocks of 512 bytes', withBlockSize(512)],
  ])('refuses %s', (_title, sector) => {
    expect(() => readVolumeDescriptor(sector)).toThrow(FormatError);
  });

  const joliet = (edit: (sector: Uint8Array) => void): ReturnType<typeof readVolumeDescriptor> => {
    const sector = Buffer.from(writeVolumeDescriptor(spec, rootRecord));
    sector.set([2]);
    sector.set(encodeUcs2(spec.volumeId), 40);
    sector.write('%/E', 88);
    edit(sector);
    return readVolumeDescriptor(sector);
  };
  it('reads a descriptor of Joliet', () => {
    expect(joliet(() => undefined)).toEqual({ type: 'joliet', ...facts });
  });
  it.each(['%/@', '%/C', '%/E'])('takes the escape sequence %s for Joliet', (escape) => {
    expect(joliet((sector) => sector.set(Buffer.from(escape), 88))).toMatchObject({
      type: 'joliet',
      volumeId: 'fedora-coreos-38',
    });
  });
  it('takes no other escape sequence for Joliet', () => {
    const found = joliet((sector) => sector.set(Buffer.from('%/F'), 88));
    expect(found).toMatchObject({ type: 'supplementary' });
    expect(found).not.toMatchObject({ volumeId: 'fedora-coreos-38' });
  });
  it.each<[string, number, number, object]>([
    ['a later version', 6, 2, { type: 'other' }],
    ['another type', 0, 3, { type: 'other' }],
    ['extended attributes of the root', 157, 5, { root: { sector: 29, size: 2048 } }],
  ])('reads %s', (_title, at, value, expected) => {
    expect(joliet((sector) => sector.set([value], at))).toMatchObject(expected);
  });

  it('says which blocks are not supported', () => {
    expect(() => readVolumeDescriptor(withBlockSize(512))).toThrow(
      expect.objectContaining({ message: 'blocks of 512 bytes are not supported', offset: 128 }),
    );
  });

  it('reads or refuses any bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 2048, maxLength: 2048 }), fc.nat(255), (noise, type) => {
        const sector = Uint8Array.from(noise);
        sector.set([type, ...Buffer.from('CD001'), 1]);
        expect(readsOrRefuses(() => readVolumeDescriptor(sector))).toBe(true);
      }),
    );
  });
});

/** Where a descriptor has what, from ECMA-119, table 4. */
describe('writeVolumeDescriptor', () => {
  const sector = Buffer.from(writeVolumeDescriptor(spec, rootRecord));
  const now = Buffer.from('2023111422132000\0').toString('latin1');
  it.each<[string, number, string]>([
    ['type, standard, version', 0, '\x01CD001\x01\0'],
    ['system', 8, 'LINUX'.padEnd(32)],
    ['volume', 40, 'fedora-coreos-38'.padEnd(32)],
    ['no escapes', 88, '\0'.repeat(32)],
    ['set size, sequence, block size', 120, '\x01\0\0\x01\x01\0\0\x01\0\x08\x08\0'],
    ['path table size', 132, '\x0a\0\0\0\0\0\0\x0a'],
    ['path tables', 140, '\x14\0\0\0\0\0\0\0\0\0\0\x15\0\0\0\0'],
    ['volume set', 190, 'fedora-coreos-38'.padEnd(128)],
    ['publisher and preparer', 318, ' '.repeat(256)],
    ['application', 574, ' '.repeat(128)],
    ['three files', 702, ' '.repeat(111)],
    ['dates', 813, `${now}${now}${'0'.repeat(16)}\0${now}\x01\0`],
  ])('has %s', (_title, at, text) => {
    expect(sector.toString('latin1', at, at + text.length)).toBe(text);
  });

  it('has the sector of the boot catalogue', () => {
    expect(Buffer.from(writeBootRecord(0x1234)).toString('hex', 71, 75)).toBe('34120000');
  });
});

function withBlockSize(size: number): Uint8Array {
  const sector = writeVolumeDescriptor(spec, rootRecord);
  new DataView(sector.buffer).setUint16(128, size, true);
  return sector;
}

function readsOrRefuses(read: () => unknown): boolean {
  try {
    read();
    return true;
  } catch (error) {
    return error instanceof FormatError;
  }
}
