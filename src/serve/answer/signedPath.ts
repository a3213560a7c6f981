/**
 * Tokens that stand in a path and let fetch one host's images, or what boots from the network: `h.HOST.EXPIRY.SIGNATURE`
 * (`h.worker-0.tqxpc0.LxpG…`; without an expiry `h.worker-0.-.LxpG…`) and `b.EXPIRY.SIGNATURE`, one segment of RFC 3986's
 * unreserved characters. Nothing is kept of those that were given out: all servers with one key take the same ones, also
 * after a start anew. Left out: taking back a single token before it expires, for which the key has to be changed.
 */

import { createHmac, timingSafeEqual } from 'node:crypto';
import { CliError } from '../../core/errors.ts';
import { formatCount } from '../../formats/wordList.ts';
import type { Grant } from './access.ts';

/** What a path may let do. An operator shows a secret instead: URLs end up in histories, and in logs of proxies. */
export type SignedGrant = Exclude<Grant, { readonly kind: 'all' }>;

export interface Signer {
  /**
   * The same token for the same grant and date.
   * @param expires rounded up to a second; without it the token is good as long as the key
   */
  sign(grant: SignedGrant, expires?: Date): string;
  /** What the token lets do; undefined for one that is not of this key, or has expired. */
  verify(token: string, now: Date): SignedGrant | undefined;
}

/** Bytes. Shorter keys could be guessed from one token. */
const MIN_KEY_LENGTH = 16;
/** Bytes of the HMAC in a token: 128 bits, as BMCs allow for 255 characters in a URL and less. */
const SIGNATURE_LENGTH = 16;
const SIGNATURE = /^[A-Za-z0-9_-]{22}$/;
const CLAIM = /^(?:h\.[A-Za-z0-9._~-]+|b)\.(?:-|[0-9a-z]{1,8})$/;
/** In place of the seconds of an expiry. With nothing there, `..` would make some programs refuse the URL. */
const NEVER = '-';
/** Signed along, so that no other use of the same key, nor another form of tokens, gives the same signature. */
const PURPOSE = 'ironic-coreos serve path 1\n';

/** @throws CliError for a key of less than 16 bytes */
export function createSigner(key: Uint8Array): Signer {
  if (key.length < MIN_KEY_LENGTH) {
    throw new CliError(`The key that signs URLs is too short: ${formatCount(key.length, 'byte')}`, {
      code: 'ERR_SETTING',
      hint: `give at least ${MIN_KEY_LENGTH} random bytes, better 32: openssl rand -base64 32`,
    });
  }
  const signatureOf = (claim: string): string => signClaim(claim, key);
  return {
    sign: (grant, expires) => {
      const claim = formatClaim(grant, expires);
      return `${claim}.${signatureOf(claim)}`;
    },
    verify: (token, now) => {
      if (!isTokenShaped(token)) return undefined;
      const { claim, signature } = splitToken(token);
      return isSame(signature, signatureOf(claim)) ? readClaim(claim, now) : undefined;
    },
  };
}

/** A path with a token before it. */
export interface SignedPath {
  readonly token: string;
  /** In the catalog: `worker-0.iso`. */
  readonly path: string;
}

/**
 * Undefined for a path without a token. A token that is good for nothing is still one.
 * @param path decoded, without a slash at its start
 */
export function parseSignedPath(path: string): SignedPath | undefined {
  const end = path.indexOf('/');
  const token = path.slice(0, Math.max(end, 0));
  return isTokenShaped(token) ? { token, path: path.slice(end + 1) } : undefined;
}

/** Whether a segment must not be shown, as it may be a token: a whole one, or one that was cut or mistyped. */
export function resemblesToken(segment: string): boolean {
  return /^[hb]\.|\.[A-Za-z0-9_-]{22}$/i.test(segment);
}

function isTokenShaped(segment: string): boolean {
  const { claim, signature } = splitToken(segment);
  return SIGNATURE.test(signature) && CLAIM.test(claim);
}

/** The claim is signed as it stands, and is read in one way only: from its end, as names of hosts have dots. */
function splitToken(token: string): { readonly claim: string; readonly signature: string } {
  const end = token.lastIndexOf('.');
  return { claim: token.slice(0, Math.max(end, 0)), signature: token.slice(end + 1) };
}

function signClaim(claim: string, key: Uint8Array): string {
  const digest = createHmac('sha256', key)
    .update(PURPOSE + claim)
    .digest();
  return digest.subarray(0, SIGNATURE_LENGTH).toString('base64url');
}

/** Of two signatures by their form. Compares text, as several texts decode to the same bytes. */
function isSame(given: string, right: string): boolean {
  return timingSafeEqual(Buffer.from(given), Buffer.from(right));
}

function formatClaim(grant: SignedGrant, expires: Date | undefined): string {
  const subject = grant.kind === 'host' ? `h.${escapeName(grant.host)}` : 'b';
  const seconds = expires === undefined ? NEVER : Math.ceil(expires.getTime() / 1000).toString(36);
  return `${subject}.${seconds}`;
}

function readClaim(claim: string, now: Date): SignedGrant | undefined {
  const end = claim.lastIndexOf('.');
  const expiry = claim.slice(end + 1);
  if (expiry !== NEVER && now.getTime() >= Number.parseInt(expiry, 36) * 1000) return undefined;
  const subject = claim.slice(0, end);
  return subject.startsWith('h.') ? { kind: 'host', host: unescapeName(subject.slice(2)) } : { kind: 'boot' };
}

/** Names that come from files may have any character; names of hosts stay as they are. */
function escapeName(name: string): string {
  return encodeURIComponent(name)
    .replace(/[!'()*~]/g, escapeCharacter)
    .replaceAll('%', '~');
}

function escapeCharacter(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
}

/** Of a name that was escaped here: the signature says so. */
function unescapeName(escaped: string): string {
  return decodeURIComponent(escaped.replaceAll('~', '%'));
}
