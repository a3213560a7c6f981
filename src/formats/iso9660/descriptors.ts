/**
 * Volume descriptors (ECMA-119, section 8): what an ISO 9660 image says about itself, one sector each, from sector 16
 * on. Leaves out volume partitions, extended attributes, multi-volume sets and UDF; live images have none that matter.
 */

import { trimEndOf } from '../../core/trimming.ts';
import { FormatError } from '../../core/errors.ts';
import {
  decodeUcs2,
  encodeLatin1,
  ISO_MARK,
  latin1,
  longDate,
  putBoth16,
  putBoth32,
  SECTOR,
  viewOf,
} from './fields.ts';

/** Where a file or directory lies: first sector and length in bytes. */
export interface Extent {
  readonly sector: number;
  readonly size: number;
}

/** Bytes that one directory record can name, in whole sectors; larger files have several. */
export const MAX_EXTENT = 0xffff_f800;

/** Which names a tree of directories uses. */
export type NameEncoding = 'primary' | 'joliet';

/** A tree of directories. */
export interface VolumeFacts {
  readonly volumeId: string;
  /** Sectors of the whole volume. */
  readonly volumeSpaceSize: number;
  readonly root: Extent;
}

/** A `supplementary` tree has other names than those of Joliet. */
export type VolumeDescriptor =
  | ({ readonly type: NameEncoding | 'supplementary' } & VolumeFacts)
  | { readonly type: 'terminator' | 'other' };

/** What `writeVolumeDescriptor` needs beyond what can be read back. */
export interface VolumeSpec extends VolumeFacts {
  readonly date: Date;
  /** Its length in bytes, and where it starts in each byte order. */
  readonly pathTable: {
    readonly size: number;
    readonly littleEndianSector: number;
    readonly bigEndianSector: number;
  };
}

const TYPE = { boot: 0, primary: 1, supplementary: 2, terminator: 255 } as const;
/** Escape sequences of UCS-2 levels 1 to 3; common programs write level 3. */
const JOLIET_ESCAPES = new Set(['%/@', '%/C', '%/E']);
const EL_TORITO_ID = 'EL TORITO SPECIFICATION';

const AT = {
  systemId: 8,
  volumeId: 40,
  volumeSpaceSize: 80,
  escapes: 88,
  volumeSetSize: 120,
  volumeSequence: 124,
  blockSize: 128,
  pathTableSize: 132,
  pathTableL: 140,
  pathTableM: 148,
  rootRecord: 156,
  volumeSetId: 190,
  publisher: 318,
  preparer: 446,
  application: 574,
  fileIds: 702,
  created: 813,
  modified: 830,
  expires: 847,
  effective: 864,
  structureVersion: 881,
  bootCatalog: 71,
} as const;

/** The descriptor in one sector. */
export function readVolumeDescriptor(sector: Uint8Array): VolumeDescriptor {
  if (sector.length < SECTOR || latin1(sector.subarray(1, 6)) !== ISO_MARK.text) {
    throw new FormatError('not an ISO 9660 volume descriptor');
  }
  // ISO 9660:1999 adds a supplementary descriptor of version 2. This program does not need its tree.
  if (sector[6] !== 1) return { type: 'other' };
  switch (viewOf(sector).getUint8(0)) {
    case TYPE.primary:
      return { type: 'primary', ...readFacts(sector, latin1) };
    case TYPE.supplementary: {
      const isJoliet = JOLIET_ESCAPES.has(latin1(sector.subarray(AT.escapes, AT.escapes + 3)));
      return isJoliet
        ? { type: 'joliet', ...readFacts(sector, decodeUcs2) }
        : { type: 'supplementary', ...readFacts(sector, latin1) };
    }
    case TYPE.terminator:
      return { type: 'terminator' };
    default:
      return { type: 'other' };
  }
}

function readFacts(sector: Uint8Array, decode: (bytes: Uint8Array) => string): VolumeFacts {
  const view = viewOf(sector);
  const blockSize = view.getUint16(AT.blockSize, true);
  if (blockSize !== SECTOR) {
    throw new FormatError(`blocks of ${blockSize} bytes are not supported`, { offset: AT.blockSize });
  }
  return {
    volumeId: trimEndOf(decode(sector.subarray(AT.volumeId, AT.volumeId + 32)), ' \0'),
    volumeSpaceSize: view.getUint32(AT.volumeSpaceSize, true),
    root: {
      sector: view.getUint32(AT.rootRecord + 2, true) + view.getUint8(AT.rootRecord + 1),
      size: view.getUint32(AT.rootRecord + 10, true),
    },
  };
}

/** One sector: the primary descriptor. `rootRecord` is the 34-byte directory record of the root. */
export function writeVolumeDescriptor(spec: VolumeSpec, rootRecord: Uint8Array): Uint8Array {
  const sector = startDescriptor(TYPE.primary);
  const view = viewOf(sector);
  const text = (offset: number, length: number, value: string): void =>
    sector.set(encodeLatin1(value.slice(0, length).padEnd(length)), offset);
  text(AT.systemId, 32, 'LINUX');
  text(AT.volumeId, 32, spec.volumeId);
  putBoth32(view, AT.volumeSpaceSize, spec.volumeSpaceSize);
  putBoth16(view, AT.volumeSetSize, 1);
  putBoth16(view, AT.volumeSequence, 1);
  putBoth16(view, AT.blockSize, SECTOR);
  putBoth32(view, AT.pathTableSize, spec.pathTable.size);
  view.setUint32(AT.pathTableL, spec.pathTable.littleEndianSector, true);
  view.setUint32(AT.pathTableM, spec.pathTable.bigEndianSector, false);
  sector.set(rootRecord, AT.rootRecord);
  text(AT.volumeSetId, 128, spec.volumeId);
  text(AT.publisher, 128, '');
  text(AT.preparer, 128, '');
  text(AT.application, 128, '');
  for (let file = 0; file < 3; file++) text(AT.fileIds + file * 37, 37, '');
  sector.set(longDate(spec.date), AT.created);
  sector.set(longDate(spec.date), AT.modified);
  sector.fill(0x30, AT.expires, AT.expires + 16);
  sector.set(longDate(spec.date), AT.effective);
  sector[AT.structureVersion] = 1;
  return sector;
}

/** One sector: El Torito's boot record, which names the sector of the boot catalogue. */
export function writeBootRecord(catalogSector: number): Uint8Array {
  const sector = startDescriptor(TYPE.boot);
  sector.set(Buffer.from(EL_TORITO_ID, 'latin1'), 7);
  viewOf(sector).setUint32(AT.bootCatalog, catalogSector, true);
  return sector;
}

/** One sector: the end of the descriptors. */
export function writeTerminator(): Uint8Array {
  return startDescriptor(TYPE.terminator);
}

function startDescriptor(type: number): Uint8Array {
  const sector = new Uint8Array(SECTOR);
  sector[0] = type;
  sector.set(Buffer.from(ISO_MARK.text, 'latin1'), 1);
  sector[6] = 1;
  return sector;
}
