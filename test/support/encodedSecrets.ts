/** A secret as other programs write it into their messages. */

/** User and password with characters that every encoding changes. */
export const hardLogin = { username: 'ad"min', password: 'pä55:w"o\\r+d/\'&<x' };

const base64 = (text: string): string => Buffer.from(text).toString('base64');

/** By the name of the encoding. None is made by the code under test. */
export function encodingsOf(secret: string, username = 'user'): Readonly<Record<string, string>> {
  return {
    raw: secret,
    JSON: JSON.stringify(secret).slice(1, -1),
    'percent-encoded': encodeURIComponent(secret),
    'a form': new URLSearchParams({ '': secret }).toString().slice(1),
    base64: base64(secret),
    'base64 for URLs': Buffer.from(secret).toString('base64url'),
    'base64 of user and password': base64(`${username}:${secret}`),
    'base64, moved by one byte': base64(`x${secret}y`),
    'base64, moved by two bytes': base64(`xx${secret}yy`),
    'base64 of JSON': base64(JSON.stringify({ Password: secret })),
  };
}
