/** Path tables (ECMA-119, section 9.4): all directories in one list. Written because the standard wants them; never read. */

import { viewOf } from './fields.ts';

/** A directory of the path table; `parent` counts from 1, and the root is its own parent. */
export interface PathTableEntry {
  readonly identifier: Uint8Array;
  readonly sector: number;
  readonly parent: number;
}

type ByteOrder = 'little' | 'big';

/** Bytes that the table takes for directories with identifiers of these lengths. */
export function pathTableSize(identifierLengths: readonly number[]): number {
  return identifierLengths.reduce((sum, length) => sum + entryLength(length), 0);
}

/** `entries` are ordered by level, then by parent, then by identifier. */
export function writePathTable(entries: readonly PathTableEntry[], order: ByteOrder): Uint8Array {
  const bytes = new Uint8Array(pathTableSize(entries.map(({ identifier }) => identifier.length)));
  const view = viewOf(bytes);
  let offset = 0;
  for (const { identifier, sector, parent } of entries) {
    view.setUint8(offset, identifier.length);
    view.setUint32(offset + 2, sector, order === 'little');
    view.setUint16(offset + 6, parent, order === 'little');
    bytes.set(identifier, offset + 8);
    offset += entryLength(identifier.length);
  }
  return bytes;
}

function entryLength(identifierLength: number): number {
  return 8 + identifierLength + (identifierLength & 1);
}
