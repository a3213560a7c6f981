/** Text in lines that fit on a terminal. */

import { displayWidth } from './printable.ts';

const width = 80;

export interface Indents {
  /** Of the first line: spaces, or what begins a paragraph, like `  fix: `. */
  readonly first: string;
  /** Of the others. */
  readonly rest: string;
}

/** Lines of at most 80 columns, as far as the words allow. */
export function wrapText(text: string, { first, rest }: Indents): readonly string[] {
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
