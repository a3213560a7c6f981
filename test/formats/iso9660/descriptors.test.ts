import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FormatError } from '../../../src/errors.ts';
import {
  readVolumeDescriptor,
  writeBootRecord,
  writeTerminator,
  writeVolumeDescriptor,
} from '../../../src/formats/iso9660/descriptors.ts';

const spec = {
  systemId: 'LINUX',
  volumeId: 'fedora-coreos-38',
  volumeSpaceSize: 70_000,
  root: { sector: 24, size: 2048 },
  date: new Date('2023-11-14T22:13:20Z'),
  applicationId: 'test',
  pathTable: { size: 10, littleEndianSector: 20, bigEndianSector: 21 },
};
const facts = {
  systemId: 'LINUX',
  volumeId: 'fedora-coreos-38',
  volumeSpaceSize: 70_000,
  root: { sector: 24, size: 2048 },
};
const rootRecord = new Uint8Array(34);
new DataView(rootRecord.buffer).setUint32(2, 24, true);
new DataView(rootRecord.buffer).setUint32(10, 2048, true);

describe('volume descriptors', () => {
  it.each([
    ['primary', writeVolumeDescriptor('primary', spec, rootRecord), { type: 'primary', ...facts }],
    [
      'Joliet',
      writeVolumeDescriptor('joliet', spec, rootRecord),
      { type: 'supplementary', isJoliet: true, ...facts },
    ],
    [
      'boot record',
      writeBootRecord(99),
      { type: 'boot', bootSystemId: 'EL TORITO SPECIFICATION', bootId: '' },
    ],
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

function withBlockSize(size: number): Uint8Array {
  const sector = writeVolumeDescriptor('primary', spec, rootRecord);
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
