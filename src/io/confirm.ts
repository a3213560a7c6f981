/** Asks on the terminal before something is changed that cannot be undone. */

import { createInterface } from 'node:readline/promises';
import { UsageError } from '../core/errors.ts';
import type { Io } from './io.ts';

/**
 * @param question without a question mark
 * @throws UsageError if standard input is not a terminal
 */
export function requireTerminal(question: string, { stdin }: Pick<Io, 'stdin'>): void {
  if (stdin.isTTY === true) return;
  throw new UsageError(`confirmation required to ${question}; standard input is not a terminal`, {
    hint: 'pass --yes',
  });
}

/**
 * Whether the answer is yes. Ctrl-C, Ctrl-D and the signal mean no.
 * @param question without a question mark
 */
export async function confirm(
  question: string,
  { errors, stderr, stdin }: Pick<Io, 'errors' | 'stderr' | 'stdin'>,
  signal: AbortSignal,
): Promise<boolean> {
  const output = errors ?? stderr; // with --quiet, too: the program waits for the answer
  const lines = createInterface({ input: stdin, output });
  // Without an answer, the promise of `question` is rejected in some versions of Node and stays pending in others.
  // The answer may be the last line of the input, so it is processed first.
  const ended = new Promise<undefined>(
    (resolve) => void lines.once('close', () => setImmediate(resolve, undefined)),
  );
  const text = `${question[0]?.toUpperCase() ?? ''}${question.slice(1)}? [y/N] `;
  const answer = lines.question(text, { signal }).catch(() => undefined);
  try {
    const given = await Promise.race([answer, ended]);
    if (given === undefined) output.write('\n');
    return /^y(?:es)?$/i.test(given?.trim() ?? '');
  } finally {
    lines.close();
  }
}
