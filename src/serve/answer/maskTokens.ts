/** What clients sent, without credentials in it: for logs, the status page and answers. */

import { maskText } from '../../core/masking.ts';

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
