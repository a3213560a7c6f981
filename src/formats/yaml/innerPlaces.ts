/**
 * Places in texts that a YAML document contains as literal block scalars (`|`): units, keyfiles, scripts, other documents. Each
 * line of the text is a line of the document.
 */

import type { Position } from '../../core/errors.ts';
import type { Path } from '../../core/finding.ts';
import { childAt, type DocumentNode, targetOf } from '../documentTree.ts';
import { lineColumns } from '../lineColumns.ts';

/** A place in a text. Both numbers count from 1; the column counts bytes. */
interface InnerPlace {
  readonly line: number;
  readonly column?: number | undefined;
}

/**
 * The position in the document of a place in the text at `path`; the column is the first one of the line if it is not known.
 * Undefined if the value is no literal block, or has no such line: only its own position is certain then.
 */
export type LocateInText = (path: Path, place: InnerPlace) => Position | undefined;

/** @param root undefined for an empty text */
export function makeLocateInText(source: string, root: DocumentNode | undefined): LocateInText {
  const positionOf = lineColumns(source);
  return (path, { column = 1, line }) => {
    let node = root && targetOf(root);
    for (const step of path) {
      const child = node && childAt(node, step);
      node = child && targetOf(child);
    }
    if (node?.kind !== 'scalar' || node.style !== 'literal' || node.block === undefined) return undefined;
    const { contentStart, indent } = node.block;
    const lines = source.slice(contentStart, node.end).split(LINE_END);
    const before = lines.slice(0, line - 1).reduce((length, text) => length + text.length, 0);
    const text = lines[line - 1]?.replace(/[\r\n]+$/, '');
    if (text === undefined) return undefined;
    const start = positionOf(contentStart + before + Math.min(indent, text.length));
    return { line: start.line, column: start.column + column - 1 };
  };
}

/** Behind the characters that end a line. */
const LINE_END = /(?<=\n|\r(?!\n))/;
