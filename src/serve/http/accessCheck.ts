/**
 * What a request has shown, and what that lets it fetch: a signed path, a token (as bearer, or as a password with any
 * user name, for browsers), or a client certificate. Without a credential the answer is the same whatever the path is, so
 * that nobody learns what exists; with a signed path that is no good it is the one for a path that does not exist.
 */

import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import { CliError } from '../../core/errors.ts';
import type { Grant } from '../answer/access.ts';
import { parseSignedPath, type Signer } from '../answer/signedPath.ts';
import { maskText } from '../../core/masking.ts';

export interface AccessRules {
  /** Without one, no signed path is good. */
  readonly signer: Signer | undefined;
  /** Each lets do everything. */
  readonly tokens: readonly string[];
  /** Everybody may fetch and see everything, as with the image-customization-controller. */
  readonly isOpen: boolean;
}

export interface Credentials {
  /** Decoded, without a slash at its start. */
  readonly path: string;
  readonly authorization: string | undefined;
  /** Whether a client certificate was shown and verified. */
  readonly isCertified: boolean;
}

type Admission =
  /** `path` is that in the catalog. */
  | { readonly kind: 'granted'; readonly grant: Grant; readonly path: string }
  /** To be answered as what does not exist. */
  | { readonly kind: 'unknown' }
  /** To be asked for a credential. */
  | { readonly kind: 'stranger' };

export interface AccessCheck {
  admit(credentials: Credentials): Admission;
  /** What a client sent, without tokens in it: some put them where they do not belong. */
  mask(text: string): string;
}

export function createAccessCheck(rules: AccessRules, now = (): Date => new Date()): AccessCheck {
  const isToken = createTokenCheck(rules.tokens);
  return {
    mask: (text) => maskTokens(text, rules.tokens),
    admit: ({ path, authorization, isCertified }) => {
      const signed = parseSignedPath(path);
      if (signed !== undefined) {
        const grant = rules.signer?.verify(signed.token, now());
        return grant === undefined ? { kind: 'unknown' } : { kind: 'granted', grant, path: signed.path };
      }
      const isOperator = rules.isOpen || isCertified || showsToken(authorization, isToken);
      return isOperator ? { kind: 'granted', grant: { kind: 'all' }, path } : { kind: 'stranger' };
    },
  };
}

/** What the request shows for `path`, which is its own. */
export function credentialsOf({ headers, socket }: IncomingMessage, path: string): Credentials {
  return { path, authorization: headers.authorization, isCertified: hasClientCertificate(socket) };
}

/**
 * A session that is resumed counts as authorized without any certificate having been shown in it, so both are looked at.
 */
function hasClientCertificate(socket: Socket): boolean {
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
      throw new CliError(`${name}:${number} is no token: ${problem}`, { code: 'ERR_SETTING', hint: HINT });
    }
  }
  if (tokens.length === 0) throw new CliError(`${name} has no token`, { code: 'ERR_SETTING', hint: HINT });
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

const TOKEN = '(token)';

/** A token of a path, also one that was cut, mistyped or percent-encoded. */
const signedToken = /(?<![a-z0-9])[hb](?:\.|%2e)(?:[\w.~-]|%2e)*(?:\.|%2e)[\w-]{4,}/gi;
/** As they stand in an `Authorization` header. */
const credentials = /\b(bearer|basic|digest|token)[ :]+[^\s,;()]+/gi;
/** JSON web tokens; what `openssl rand -hex` prints; what is random in base64. */
const randomTexts: readonly RegExp[] = [
  /\beyJ[\w-]{8,}(?:\.[\w-]*){0,2}/g,
  /(?<![\w])[0-9a-f]{32,}(?![\w])/gi,
  /(?<![\w+-])(?=[\w+-]*\d)(?=[\w+-]*[a-z])(?=[\w+-]*[A-Z])[\w+-]{32,}={0,2}/g,
];

/** Characters of a text that are looked at; a log holds fewer. */
const LONGEST = 2000;

/**
 * Replaces what lets fetch something, or looks as if it did, by `(token)`.
 * @param known tokens of operators
 */
export function maskTokens(text: string, known: readonly string[] = []): string {
  let masked = text.slice(0, LONGEST);
  // A token may be the start of another one.
  for (const token of known.toSorted((one, other) => other.length - one.length))
    masked = masked.replaceAll(token, TOKEN);
  masked = masked
    .replace(signedToken, TOKEN)
    .replace(credentials, (_all, scheme: string) => `${scheme} ${TOKEN}`);
  for (const pattern of randomTexts) masked = masked.replace(pattern, TOKEN);
  return maskText(masked);
}
