/** Texts of the help in scripts for shells. */

/** A word for any of the three shells; texts of the help have no line feeds. */
export function quoteWord(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** For a place that has one line: without what is in brackets at the end, and not too long. */
export function shortText(text: string): string {
  const plain = text.replace(/ \(default: [^()]*\)$/, '');
  return plain.length <= LONGEST ? plain : `${plain.slice(0, LONGEST - 1).replace(/\s\S*$/, '')}…`;
}

const LONGEST = 72;
