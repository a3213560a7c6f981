/**
 * Authentication: a request has a signed path, a token (as bearer token, or as a password with any user name, for browsers),
 * or a client certificate. Without a credential the answer is the same for all paths, so that clients cannot find out which
 * paths exist. With an invalid signed path the answer is the same as for a path that does not exist.
 */

import { createHash, timingSafeEqual } from 'node:crypto';
import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import { CliError } from '../../core/errors.ts';
import type { Grant } from './answer/access.ts';
import { parseSignedPath, type Signer } from './answer/signedPath.ts';
import { createMasker } from '../../core/knownSecrets.ts';

export interface AccessRules {
  /** Undefined: no signed path is valid. */
  readonly signer: Signer | undefined;
  /** Each token gives access to everything. */
  readonly tokens: readonly string[];
  /** All clients may fetch everything without a credential, as with image-customization-controller. */
  readonly isOpen: boolean;
}

type Admission =
  /** `path` is the path in the catalog. */
  | { readonly kind: 'granted'; readonly grant: Grant; readonly path: string }
  /** To be answered like a path that does not exist. */
  | { readonly kind: 'unknown' }
  /** To be answered with a request for a credential. */
  | { readonly kind: 'unauthenticated' };

export type AccessCheck = Readonly<ReturnType<typeof createAccessCheck>>;

export function createAccessCheck(rules: AccessRules, now = (): Date => new Date()) {
  const isToken = createTokenCheck(rules.tokens);
  return {
    /** Masks tokens in text from a client, as users sometimes paste them into other fields. */
    mask: createMasker(rules.tokens, '(token)'),
    /**
     * @param path decoded, without a slash at its start
     * @param isCertified whether the client has sent a certificate that was verified
     */
    admit: (path: string, authorization: string | undefined, isCertified: boolean): Admission => {
      const signed = parseSignedPath(path);
      if (signed !== undefined) {
        const grant = rules.signer?.verify(signed.token, now());
        return grant === undefined ? { kind: 'unknown' } : { kind: 'granted', grant, path: signed.path };
      }
      const isOperator = rules.isOpen || isCertified || showsToken(authorization, isToken);
      return isOperator ? { kind: 'granted', grant: { kind: 'all' }, path } : { kind: 'unauthenticated' };
    },
  };
}

/**
 * Node reports a resumed TLS session as authorized even if it has no certificate, so both are checked.
 */
export function hasClientCertificate(socket: Socket): boolean {
  return socket instanceof TLSSocket && socket.authorized && socket.getPeerX509Certificate() !== undefined;
}

function showsToken(authorization = '', isToken: (text: string) => boolean): boolean {
  const [, scheme = '', credential = ''] = /^(\S+) +(\S+)$/.exec(authorization) ?? [];
  switch (scheme.toLowerCase()) {
    case 'bearer':
      return isToken(credential);
    case 'basic':
      return isToken(passwordOf(credential));
    default:
      return false;
  }
}

/** RFC 7617: user name, colon, password. */
function passwordOf(credential: string): string {
  const text = Buffer.from(credential, 'base64').toString('utf8');
  return text.slice(text.indexOf(':') + 1);
}

/** Characters. Shorter tokens could be guessed, as the number of attempts is not limited. */
const MIN_LENGTH = 16;

/**
 * Reads one token per line; blank lines and lines that start with `#` are skipped.
 * @param name the file name, for messages
 * @throws CliError for a token that cannot be sent (RFC 6750, section 2.1) or is too short, and if no token is found
 */
export function parseTokens(text: string, name: string): string[] {
  const lines = text.split('\n').map((line, index) => ({ token: line.trim(), number: index + 1 }));
  const tokens = lines.filter(({ token }) => token !== '' && !token.startsWith('#'));
  for (const { token, number } of tokens) {
    const problem = tokenProblem(token);
    if (problem !== undefined) {
      throw new CliError(`invalid token: ${problem}`, {
        at: { file: name, line: number },
        code: 'ERR_SETTING',
        hint: HINT,
      });
    }
  }
  if (tokens.length === 0)
    throw new CliError(`${name} contains no token`, { code: 'ERR_SETTING', hint: HINT });
  return tokens.map(({ token }) => token);
}

const HINT = 'create a token with: openssl rand -hex 32';

function tokenProblem(token: string): string | undefined {
  if (!/^[A-Za-z0-9._~+/-]+=*$/.test(token))
    return 'only A-Z a-z 0-9 - . _ ~ + / are valid, and = at the end';
  return token.length < MIN_LENGTH ? `it has fewer than ${MIN_LENGTH} characters` : undefined;
}

/** Returns a constant-time check whether a text is one of the tokens. */
export function createTokenCheck(tokens: readonly string[]): (text: string) => boolean {
  const digests = tokens.map(digestOf);
  return (text) => {
    const digest = digestOf(text);
    // All digests are compared, also after a match.
    return digests.map((expected) => timingSafeEqual(digest, expected)).includes(true);
  };
}

function digestOf(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
