/** Findings count columns in bytes; programs that show text count them in UTF-16 code units. */

import type { Position } from '../../core/errors.ts';
import { lineSpans } from '../../formats/lineColumns.ts';

/** For each position its column in UTF-16 code units, from 1; its own column without the document. One pass, however long the lines and many the positions. */
export function utf16Columns(bytes: Uint8Array, positions: readonly Position[]): readonly number[] {
  if (bytes.length === 0) return positions.map(({ column }) => column);
  const lines = lineSpans(
    bytes,
    positions.map(({ line }) => line),
  );
  const columns = new Map<Position, number>();
  let line = 0;
  let offset = 0;
  let column = 1;
  for (const position of positions.toSorted(comparePositions)) {
    const start = lines.get(position.line)?.start ?? 0;
    if (position.line !== line) {
      line = position.line;
      offset = start;
      column = 1;
    }
    const end = Math.min(bytes.length, start + position.column - 1);
    column += new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes.subarray(offset, end)).length;
    offset = Math.max(offset, end);
    columns.set(position, column);
  }
  return positions.map((position) => columns.get(position) ?? 1);
}

function comparePositions(a: Position, b: Position): number {
  return a.line - b.line || a.column - b.column;
}
