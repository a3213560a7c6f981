/** A secret as other programs write it into their messages. */

import { execFileSync } from 'node:child_process';

/** User and password with characters that every encoding changes. */
export const hardLogin = { username: 'ad"min', password: 'pä55:w"o\\r+d/\'&<x' };

const html = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll("'", '&#39;').replaceAll('<', '&lt;');

const inJson = (text: string): string => JSON.stringify(text).slice(1, -1);

const base64 = (text: string): string => Buffer.from(text).toString('base64');

/** By the name of the encoding. None is made by the code under test. */
export function encodingsOf(secret: string, username = 'user'): Readonly<Record<string, string>> {
  return {
    raw: secret,
    JSON: inJson(secret),
    'JSON in JSON': inJson(inJson(secret)),
    'ASCII JSON': inJson(secret).replaceAll(
      /[^ -~]|[&<>]/g,
      (char) => String.raw`\u` + char.charCodeAt(0).toString(16).padStart(4, '0'),
    ),
    'percent-encoded': encodeURIComponent(secret),
    'percent-encoded, every byte': [...Buffer.from(secret)].map((byte) => `%${byte.toString(16)}`).join(''),
    'a form': new URLSearchParams({ '': secret }).toString().slice(1),
    HTML: html(secret),
    'HTML in numbers': Array.from(secret, (char) => `&#x${char.codePointAt(0)?.toString(16)};`).join(''),
    'a quoted shell word': secret.replaceAll("'", String.raw`'\''`),
    'an escaped shell word': secret.replaceAll(/[^\w]/gu, String.raw`\$&`),
    base64: base64(secret),
    'base64 for URLs': Buffer.from(secret).toString('base64url'),
    'base64 of user and password': base64(`${username}:${secret}`),
    'base64, moved by one byte': base64(`x${secret}y`),
    'base64, moved by two bytes': base64(`xx${secret}yy`),
    'base64 of JSON': base64(JSON.stringify({ Password: secret })),
    'base64, percent-encoded': encodeURIComponent(base64(`${username}:${secret}`)),
  };
}

/** The word as bash writes it; undefined if bash is missing. */
export function bashWord(text: string): string | undefined {
  try {
    return execFileSync('bash', ['-c', 'printf %q "$1"', 'bash', text], { encoding: 'utf8' });
  } catch {
    return undefined;
  }
}
