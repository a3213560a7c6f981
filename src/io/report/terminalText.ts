/** The width of text on terminals. `core/foreignText.ts` escapes control characters. */

import { largest } from '../../core/lists.ts';
import { once } from '../../core/once.ts';

/** Columns that printable text takes on a terminal: East Asian characters and emoji take two, marks none. */
export function displayWidth(text: string): number {
  if (PLAIN.test(text)) return text.length;
  const { wide, mark } = patterns();
  let width = 0;
  for (const character of text) {
    width += wide.test(character) ? 2 : mark.test(character) ? 0 : 1;
  }
  return width;
}

/** One column for each character. */
const PLAIN = /^[ -~]*$/;

/** Not literals, because parsing Unicode classes on each start takes more than a millisecond. */
const patterns = once(() => ({
  wide: new RegExp(
    String.raw`[\p{Script=Han}\p{Script=Hangul}\p{Script=Hiragana}\p{Script=Katakana}\p{Emoji_Presentation}\uff01-\uff60]`,
    'u',
  ),
  mark: new RegExp(String.raw`[\p{Mn}\p{Me}]`, 'u'),
}));

/** Lines with two spaces between the cells of a row. The last cell has no spaces behind it. @param widest column that is aligned */
export function formatColumns(rows: readonly (readonly string[])[], widest = Infinity): readonly string[] {
  const count = largest(rows.map(({ length }) => length));
  const widths = Array.from({ length: count - 1 }, (_, column) =>
    Math.min(widest, largest(rows.map((row) => (row[column] ?? '').length))),
  );
  return rows.map((row) => {
    const cells = row.map((cell, column) => cell.padEnd(widths[column] ?? 0));
    return cells.join('  ').trimEnd();
  });
}

const USUAL_WIDTH = 80;

interface Indents {
  /** Of the first line: spaces, or what begins a paragraph, like `  fix: `. */
  readonly first: string;
  readonly rest: string;
}

/** Lines of at most 80 columns, or of the given width, as far as the words allow. */
export function wrapText(text: string, { first, rest }: Indents, width = USUAL_WIDTH): readonly string[] {
  const lines: string[] = [];
  let line = first;
  let isEmpty = true;
  for (const word of text.split(' ')) {
    if (!isEmpty && displayWidth(line) + 1 + displayWidth(word) > width) {
      lines.push(line);
      line = rest;
      isEmpty = true;
    }
    line += isEmpty ? word : ` ${word}`;
    isEmpty = false;
  }
  return [...lines, line];
}
