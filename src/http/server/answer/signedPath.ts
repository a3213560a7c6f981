/**
 * Tokens in URL paths. A token gives access to the files of one host (`h.HOST.EXPIRY.SIGNATURE`, such as
 * `h.worker-0.tqxpc0.LxpG…`, without an expiry `h.worker-0.-.LxpG…`) or to network boot (`b.EXPIRY.SIGNATURE`). It is one
 * path segment of unreserved characters (RFC 3986). Issued tokens are not stored: all servers with the same key accept the
 * same tokens, also after a restart. A single token cannot be revoked; a new key revokes all tokens.
 */

import { createHmac, timingSafeEqual } from 'node:crypto';
import { CliError } from '../../../core/errors.ts';
import { formatCount } from '../../../formats/messageText.ts';
import type { Grant } from './access.ts';

/** The grants that a path can give. Operators use a header instead, as URLs get into histories and proxy logs. */
export type SignedGrant = Exclude<Grant, { readonly kind: 'all' }>;

export type Signer = Readonly<ReturnType<typeof createSigner>>;

/** Bytes. A shorter key could be guessed from a token. */
const MIN_KEY_LENGTH = 16;
/** Bytes of the HMAC in a token. Only 128 bits, as some BMCs support at most 255 characters in a URL. */
const SIGNATURE_LENGTH = 16;
/** Claim and signature. */
const TOKEN = /^((?:h\.[A-Za-z0-9._~-]+|b)\.(?:-|[0-9a-z]{1,8}))\.([A-Za-z0-9_-]{22})$/;
/** In place of the expiry. An empty expiry would result in `..`, which some programs refuse in a URL. */
const NEVER = '-';
/** A prefix of the signed text, so that signatures for other purposes or token formats differ. */
const PURPOSE = 'ironic-coreos serve path 1\n';

export function createSigner(key: Uint8Array) {
  if (key.length < MIN_KEY_LENGTH) {
    throw new CliError(`The key that signs URLs is too short: ${formatCount(key.length, 'byte')}`, {
      code: 'ERR_SETTING',
      hint: `use at least ${MIN_KEY_LENGTH} random bytes, for example from: openssl rand -base64 32`,
    });
  }
  return {
    /**
     * Returns the same token for the same grant and date.
     * @param expires rounded up to a second; without it the token is valid as long as the key
     */
    sign: (grant: SignedGrant, expires?: Date): string => {
      const claim = formatClaim(grant, expires);
      return `${claim}.${signClaim(claim, key)}`;
    },
    /** The grant of a token; undefined if another key signed it, or if it has expired. */
    verify: (token: string, now: Date): SignedGrant | undefined => {
      const [, claim, signature] = TOKEN.exec(token) ?? [];
      if (claim === undefined || signature === undefined) return undefined;
      // Compared as text, as several texts decode to the same bytes.
      const isValid = timingSafeEqual(Buffer.from(signature), Buffer.from(signClaim(claim, key)));
      return isValid ? readClaim(claim, now) : undefined;
    },
  };
}

/**
 * Splits a path into its token, which is not verified, and the path in the catalog; undefined without a token.
 * @param path decoded, without a slash at its start
 */
export function parseSignedPath(path: string) {
  const end = path.indexOf('/');
  const token = path.slice(0, Math.max(end, 0));
  return TOKEN.test(token) ? { token, path: path.slice(end + 1) } : undefined;
}

function signClaim(claim: string, key: Uint8Array): string {
  const digest = createHmac('sha256', key)
    .update(PURPOSE + claim)
    .digest();
  return digest.subarray(0, SIGNATURE_LENGTH).toString('base64url');
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
  if (!subject.startsWith('h.')) return { kind: 'boot' };
  // The signature guarantees that the name is well-formed.
  return { kind: 'host', host: decodeURIComponent(subject.slice(2).replaceAll('~', '%')) };
}

/** Names from files may contain any character; valid host names are not changed. */
function escapeName(name: string): string {
  return encodeURIComponent(name)
    .replace(/[!'()*~]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`)
    .replaceAll('%', '~');
}
