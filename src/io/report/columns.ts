/** Findings count columns in bytes; programs that show text count them in UTF-16 code units. */

import type { Position } from '../../core/errors.ts';
import { lineSpans } from '../../formats/lineColumns.ts';

/** For each position its column in UTF-16 code units, from 1; its own column without the document. */
export function utf16Columns(bytes: Uint8Array, positions: readonly Position[]): readonly number[] {
  if (bytes.length === 0) return positions.map(({ column }) => column);
  const lines = lineSpans(
    bytes,
    positions.map(({ line }) => line),
  );
  return positions.map(({ column, line }) => {
    const start = lines.get(line)?.start ?? 0;
    const before = bytes.subarray(start, start + column - 1);
    return new TextDecoder('utf-8', { ignoreBOM: true }).decode(before).length + 1;
  });
}
