/** The secrets that operators show. Several are good at a time, so that one can take the place of another. */

import { createHash, timingSafeEqual } from 'node:crypto';
import { CliError } from '../../core/errors.ts';

/** Characters. Whoever may ask as often as they like guesses shorter ones. */
const MIN_LENGTH = 16;

/**
 * One a line; blank lines and those that start with `#` are passed over.
 * @param name of the file, for messages
 * @throws CliError for what could not be sent (RFC 6750, section 2.1), could be guessed, and where there is none
 */
export function parseTokens(text: string, name: string): string[] {
  const lines = text.split('\n').map((line, index) => ({ token: line.trim(), number: index + 1 }));
  const tokens = lines.filter(({ token }) => token !== '' && !token.startsWith('#'));
  for (const { token, number } of tokens) {
    const problem = tokenProblem(token);
    if (problem !== undefined) {
      throw new CliError(`${name}:${number} is no token: ${problem}`, { hint: HINT });
    }
  }
  if (tokens.length === 0) throw new CliError(`${name} has no token`, { hint: HINT });
  return tokens.map(({ token }) => token);
}

const HINT = 'make one with: openssl rand -hex 32';

function tokenProblem(token: string): string | undefined {
  if (!/^[A-Za-z0-9._~+/-]+=*$/.test(token))
    return 'it has other characters than A-Z a-z 0-9 - . _ ~ + / and = at its end';
  return token.length < MIN_LENGTH ? `it has less than ${MIN_LENGTH} characters` : undefined;
}

/** Whether a text is one of the tokens; how long that takes tells nothing about them. */
export function createTokenCheck(tokens: readonly string[]): (text: string) => boolean {
  const digests = tokens.map(digestOf);
  return (text) => {
    const digest = digestOf(text);
    // All are compared, whichever it is.
    return digests.map((right) => timingSafeEqual(digest, right)).includes(true);
  };
}

function digestOf(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
