/**
 * The output of a serial console as lines without control sequences. Firmware and boot loaders use the whole screen, so a cursor
 * movement ends a line. Colours are removed, and other control characters are replaced. It does not emulate a screen.
 */

import { TextDecoder } from 'node:util';

/** Maximum number of characters of a line; longer ones are wrapped. Errors of podman with a signed URL have about 900. */
const LONGEST_LINE = 1000;

const ESCAPE = '\u001B';
const BELL = '\u0007';
const PARAMETERS = '\\[[0-?]{0,1000}[ -/]{0,1000}';
const STRING = `[\\]P][^${BELL}${ESCAPE}\\n]{0,1000}`;
/**
 * A break of lines, or a control sequence (ECMA-48, section 5.4): it ends with a letter, a string for the terminal with BEL or with
 * ESC \; other sequences have one character, those that select a character set two.
 */
const BREAK_OR_SEQUENCE = new RegExp(
  `(\\r|\\n|${ESCAPE}(?:${PARAMETERS}[@-~]|${STRING}(?:${BELL}|${ESCAPE}\\\\)|[()#%]?[^[\\]P()#%\\n${ESCAPE}]))`,
);
/** The beginning of a sequence, whose end is still to come. */
const OPEN_SEQUENCE = new RegExp(`${ESCAPE}(?:${PARAMETERS}|${STRING}${ESCAPE}?|[()#%]?)$`);
/** Moves the cursor to another line or erases the screen. */
const MOVE = new RegExp(`^${ESCAPE}(?:\\[[0-9;?]*[ABEFHJdf]|[cDEM])$`);
const MOVE_TO_COLUMN = new RegExp(`^${ESCAPE}\\[\\d{1,4};(\\d{1,4})H$`);

/** @param onLine gets each line without its line break; empty lines are omitted */
export function createConsoleText(onLine: (line: string) => void) {
  const decoder = new TextDecoder('utf-8');
  let line = '';
  let rest = '';
  const endLine = (): void => {
    const text = line.trimEnd();
    if (text !== '') onLine(text);
    line = '';
  };
  const append = (text: string): void => {
    for (const character of text) {
      if (character === '\b') line = line.slice(0, -1);
      else line += character === '\t' ? ' ' : HARMFUL.test(character) ? '?' : character;
      if (line.length >= LONGEST_LINE) endLine();
    }
  };
  const process = (text: string): void => {
    for (const [index, part] of text.split(BREAK_OR_SEQUENCE).entries()) {
      if (index % 2 === 0) append(part);
      else if (part === '\r' || part === '\n' || (MOVE.test(part) && !movesToEnd(part, line.length)))
        endLine();
    }
  };
  return {
    push: (bytes: Uint8Array): void => {
      const text = rest + decoder.decode(bytes, { stream: true });
      const end = OPEN_SEQUENCE.exec(text)?.index ?? text.length;
      rest = text.slice(end);
      process(text.slice(0, end));
    },
    /** Ends the last, incomplete line. */
    end: (): void => {
      process(rest + decoder.decode());
      endLine();
    },
  };
}

/**
 * Whether a sequence moves the cursor to the end of a text of this length: consoles in series print such sequences within a line.
 * Column 1 starts another line.
 */
function movesToEnd(sequence: string, length: number): boolean {
  const column = Number(MOVE_TO_COLUMN.exec(sequence)?.[1]);
  return column > 1 && (column === length || column === length + 1);
}

/** Control characters, and characters that change the writing direction or are invisible. */
const HARMFUL = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}]/u;
