/** Text from a document or a file name, made harmless for terminals. */

/** Control characters, and those that turn the direction of writing or hide, as escapes like `\u001b`. */
export function printable(text: string): string {
  return text.replace(harmful, (character) => named.get(character) ?? escape(character));
}

/** Columns that printable text takes on a terminal: East Asian characters and emoji take two, marks none. */
export function displayWidth(text: string): number {
  let width = 0;
  for (const character of text) {
    width += wide.test(character) ? 2 : mark.test(character) ? 0 : 1;
  }
  return width;
}

// Control, format, surrogate and private characters, line and paragraph separators.
const harmful = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}]/gu;
const wide =
  /[\p{Script=Han}\p{Script=Hangul}\p{Script=Hiragana}\p{Script=Katakana}\p{Emoji_Presentation}\uff01-\uff60]/u;
const mark = /[\p{Mn}\p{Me}]/u;

const named: ReadonlyMap<string, string> = new Map([
  ['\n', '\\n'],
  ['\r', '\\r'],
  ['\t', '\\t'],
]);

function escape(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  return code > 0xffff ? `\\u{${code.toString(16)}}` : `\\u${code.toString(16).padStart(4, '0')}`;
}
