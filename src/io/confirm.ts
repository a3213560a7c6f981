/** Asks on the terminal before something is changed that cannot be undone. */

import { createInterface } from 'node:readline/promises';
import { UsageError } from '../core/errors.ts';
import type { Io } from './io.ts';

/**
 * Whether the answer is yes.
 * @param question without a question mark
 * @throws UsageError if standard input is not a terminal
 */
export async function confirm(question: string, io: Pick<Io, 'stderr' | 'stdin'>): Promise<boolean> {
  if (!('isTTY' in io.stdin && io.stdin.isTTY === true)) {
    throw new UsageError(`confirmation required to ${question}; standard input is not a terminal`, {
      hint: 'pass --yes',
    });
  }
  const lines = createInterface({ input: io.stdin, output: io.stderr });
  try {
    return /^y(?:es)?$/i.test(
      (await lines.question(`${question[0]?.toUpperCase() ?? ''}${question.slice(1)}? [y/N] `)).trim(),
    );
  } finally {
    lines.close();
  }
}
