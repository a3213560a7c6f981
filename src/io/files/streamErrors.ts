/** What the operating system reports about the standard streams, in one sentence for the user. */

import { getSystemErrorMap } from 'node:util';
import { CliError } from '../../core/errors.ts';
import { errorCode } from './fileErrors.ts';

/**
 * A system error as a CliError such as `cannot write to standard output: No space left on device`. Any other value is
 * returned unchanged.
 * @param action what failed, e.g. `write to standard output`
 */
export function streamError(error: unknown, action: string): unknown {
  const reason = reasonOf(error);
  return reason === undefined ? error : new CliError(`cannot ${action}: ${reason}`, { cause: error });
}

function reasonOf(error: unknown): string | undefined {
  const code = errorCode(error);
  if (code === undefined || error instanceof CliError) return undefined;
  const [, text = code] = Array.from(getSystemErrorMap().values()).find(([name]) => name === code) ?? [];
  return text.replace(/^(?:i\/o|[a-z])/, (start) => start.toUpperCase());
}

/**
 * The chunks of standard input.
 * @throws CliError where the system cannot read it
 */
export async function* stdinChunks(stdin: AsyncIterable<unknown>): AsyncGenerator<unknown, void> {
  try {
    yield* stdin;
  } catch (error) {
    throw streamError(error, 'read standard input');
  }
}
