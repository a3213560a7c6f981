/** Words of a POSIX shell. */

/** A word that the shell takes as it is. */
export function quoteShellWord(text: string): string {
  return /^[A-Za-z0-9_@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

/** A command on several lines, options indented. Words are quoted already. */
export function formatCommand(words: readonly string[]): string {
  return `${words.join(' \\\n  ')}\n`;
}
