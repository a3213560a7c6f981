/**
 * The token by which Ironic and the agent of one machine know each other: made at the first lookup and told only then.
 * Whoever looks up later learns only that there is one, and an agent that was started anew does not get on: that is
 * Ironic's guard against strangers that ask with a MAC address which they have seen.
 */

import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

/** Instead of a token that has been told already. Agents know it. */
export const maskedToken = '******';

/** Bytes; agents take no token of less than 32 characters. */
const TOKEN_SIZE = 32;

export type TokenState = 'right' | 'wrong' | 'missing';

export interface AgentToken {
  /** For an answer to lookup: the token once, then the mask. */
  tell(): string;
  check(text: string | undefined): TokenState;
  /** Whether the boot medium brings it, so that it is never told. */
  readonly isOwn: boolean;
  /** The token itself, for questions to the agent; undefined where there is none yet. */
  current(): string | undefined;
  /** As Ironic does whenever it switches the machine on: the next lookup gets another token. */
  forget(): void;
}

/** @param pregenerated that the boot medium brings, so that it is never told by the API */
export function createAgentToken(pregenerated: string | undefined): AgentToken {
  let token = pregenerated;
  return {
    tell: () => {
      if (token !== undefined) return maskedToken;
      token = randomBytes(TOKEN_SIZE).toString('base64url');
      return token;
    },
    check: (text) => {
      if (text === undefined || text === '') return 'missing';
      return token !== undefined && isEqual(text, token) ? 'right' : 'wrong';
    },
    isOwn: pregenerated !== undefined,
    current: () => token,
    forget: () => {
      token = pregenerated;
    },
  };
}

/** In a time that tells nothing about either of them. */
function isEqual(left: string, right: string): boolean {
  return timingSafeEqual(digestOf(left), digestOf(right));
}

function digestOf(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
