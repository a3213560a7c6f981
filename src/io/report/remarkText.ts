/** Text on standard error as the user wants it: with colours, or of errors alone. It is made of remarks and excerpts. */

import { Chalk, type ChalkInstance } from 'chalk';

/** Begins a line that says something new; what follows belongs to it until the next. */
const SEVERITIES = ['error', 'warning', 'info', 'note'] as const;

/** Whether there are colours is decided before (`wantsColor`), as chalk does not know NO_COLOR; it loads when they are used. */
function chalkFor(word: string): ChalkInstance {
  const { bold } = new Chalk({ level: 1 });
  switch (word) {
    case 'error':
      return bold.red;
    case 'warning':
      return bold.yellow;
    case 'hint':
      return bold.green;
    default:
      return bold.cyan;
  }
}

/** The words that begin remarks get colours, and the marks below an excerpt that of their finding. */
export function colorRemarks(text: string): string {
  let severity = 'error';
  return text.replaceAll(
    /^(error|warning|info|note|hint)(?=: )|(?<=^ *\| +)\^+$/gm,
    (marked, word: string | undefined) => {
      if (word !== undefined && word !== 'hint') severity = word;
      return chalkFor(word ?? severity)(marked);
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
