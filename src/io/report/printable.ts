/** Text from a document or a file name, made harmless for terminals. */

/** Control characters, and those that turn the direction of writing or hide, as escapes like `\u001b`. */
export function printable(text: string): string {
  if (plain.test(text)) return text;
  return text.replace(patterns().harmful, (character) => named.get(character) ?? escape(character));
}

/** Columns that printable text takes on a terminal: East Asian characters and emoji take two, marks none. */
export function displayWidth(text: string): number {
  if (plain.test(text)) return text.length;
  const { wide, mark } = patterns();
  let width = 0;
  for (const character of text) {
    width += wide.test(character) ? 2 : mark.test(character) ? 0 : 1;
  }
  return width;
}

const plain = /^[ -~]*$/;

/** Not literals: those would be parsed whenever the program starts, and Unicode classes take more than a millisecond. */
function patterns(): Patterns {
  compiled ??= {
    // Control, format, surrogate and private characters, line and paragraph separators.
    harmful: new RegExp(String.raw`[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}]`, 'gu'),
    wide: new RegExp(
      String.raw`[\p{Script=Han}\p{Script=Hangul}\p{Script=Hiragana}\p{Script=Katakana}\p{Emoji_Presentation}\uff01-\uff60]`,
      'u',
    ),
    mark: new RegExp(String.raw`[\p{Mn}\p{Me}]`, 'u'),
  };
  return compiled;
}

interface Patterns {
  readonly harmful: RegExp;
  readonly wide: RegExp;
  readonly mark: RegExp;
}

let compiled: Patterns | undefined;

const named: ReadonlyMap<string, string> = new Map([
  ['\n', '\\n'],
  ['\r', '\\r'],
  ['\t', '\\t'],
]);

function escape(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  return code > 0xffff ? `\\u{${code.toString(16)}}` : `\\u${code.toString(16).padStart(4, '0')}`;
}
