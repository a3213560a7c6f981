/** Text on standard error as the user wants it: with colours, or of errors alone. It is made of remarks and excerpts. */

/** Begins a line that says something new; what follows belongs to it until the next. */
const SEVERITIES = ['error', 'warning', 'info', 'note'] as const;

/** Of a terminal, by its own numbers (ECMA-48, SGR): bold and a colour. */
const COLORS: Readonly<Record<string, string>> = {
  error: '1;31',
  warning: '1;33',
  info: '1;36',
  note: '1;36',
  hint: '1;32',
};

/** The words that begin remarks get colours, and the marks below an excerpt that of their finding. */
export function colorRemarks(text: string): string {
  let severity = 'error';
  return text.replaceAll(
    /^(error|warning|info|note|hint)(?=: )|(?<=^ *\| +)\^+$/gm,
    (marked, word: string | undefined) => {
      if (word !== undefined && word !== 'hint') severity = word;
      return `\u001b[${COLORS[word ?? severity] ?? ''}m${marked}\u001b[0m`;
    },
  );
}

/** What is left of a piece of text, whole lines, where only errors are wanted. */
export function onlyErrors(text: string): string {
  let isError = false;
  return text
    .split(/(?<=\n)/)
    .filter((line) => {
      const severity = SEVERITIES.find((word) => line.startsWith(`${word}: `));
      if (severity !== undefined) isError = severity === 'error';
      return isError;
    })
    .join('');
}
