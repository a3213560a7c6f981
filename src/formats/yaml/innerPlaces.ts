/**
 * Places in texts that a YAML document contains as block scalars: units, keyfiles, scripts, other documents. In a literal
 * block (`|`), each line of the text is a line of the document. In a folded block (`>`), a line of the text begins at a line of
 * the document, and may continue on the next ones.
 */

import type { Position } from '../../core/errors.ts';
import { append } from '../../core/lists.ts';
import type { Path } from '../../core/finding.ts';
import { type BlockLayout, childAt, type DocumentNode, type ScalarNode, targetOf } from '../documentTree.ts';
import { lineColumns } from '../lineColumns.ts';

/** A place in a text. Both numbers count from 1; the column counts bytes. */
interface InnerPlace {
  readonly line: number;
  readonly column?: number | undefined;
}

/**
 * The position in the document of a place in the text at `path`; the column is the first one of the line if it is not known.
 * Undefined if the value is no block, or has no such line: only its own position is certain then.
 */
export type LocateInText = (path: Path, place: InnerPlace) => Position | undefined;

/** @param root undefined for an empty text */
export function makeLocateInText(source: string, root: DocumentNode | undefined): LocateInText {
  const positionOf = lineColumns(source);
  // A block may be long, and have many findings.
  const known = new Map<ScalarNode, BlockLines>();
  return (path, { column = 1, line }) => {
    let node = root && targetOf(root);
    for (const step of path) {
      const child = node && childAt(node, step);
      node = child && targetOf(child);
    }
    if (node?.kind !== 'scalar' || node.block === undefined) return undefined;
    const { lines, starts } = known.get(node) ?? readBlock(source, node, node.block);
    known.set(node, { lines, starts });
    const isFolded = node.style === 'folded';
    const found = lines[starts?.[line - 1] ?? (isFolded ? -1 : line - 1)];
    if (found === undefined) return undefined;
    const start = positionOf(found.start);
    // In a folded block, the place may be on a later line.
    return { line: start.line, column: start.column + (isFolded ? 0 : column - 1) };
  };
}

interface BlockLines {
  /** Of the document. */
  readonly lines: readonly Line[];
  /** For each line of the text, the index of the line of the document; undefined for literal blocks. */
  readonly starts: readonly number[] | undefined;
}

function readBlock(source: string, node: ScalarNode, { contentStart, indent }: BlockLayout): BlockLines {
  const lines: Line[] = [];
  for (const { 0: written, index } of source
    .slice(contentStart, node.end)
    .matchAll(/(?:[^\r\n]+(?:\r\n|[\r\n])?)|\r\n|[\r\n]/g)) {
    const text = written.replace(/[\r\n]+$/, '');
    const blanks = Math.min(indent, text.length);
    lines.push({ start: contentStart + index + blanks, text: text.slice(blanks) });
  }
  return { lines, starts: node.style === 'folded' ? startsOfFolded(lines) : undefined };
}

interface Line {
  /** Offset of its first character after the indentation. */
  readonly start: number;
  /** Without indentation. */
  readonly text: string;
}

/** For each line of the text, the index of the line of a folded block with which it begins. */
function startsOfFolded(lines: readonly Line[]): readonly number[] {
  const starts: number[] = [];
  let previous: 'text' | 'indented' | undefined;
  let blank: number[] = [];
  for (const [index, { text }] of lines.entries()) {
    if (text === '') {
      blank.push(index);
      continue;
    }
    const kind = /^[ \t]/.test(text) ? 'indented' : 'text';
    const isJoined = previous === 'text' && kind === 'text';
    // A line break between lines of text is a space, or nothing beside blank lines.
    if (!isJoined || blank.length > 0) append(starts, [...(isJoined ? blank.slice(1) : blank), index]);
    previous = kind;
    blank = [];
  }
  return [...starts, ...blank];
}
