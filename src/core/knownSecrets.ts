/** Masks secrets with known values in texts from outside: responses, messages and output of other programs. */

import { HIDDEN } from './masking.ts';

/** Returns a text without secrets. */
export type Masker = (text: string) => string;

/**
 * Characters. Shorter secrets are not masked: a password `a` would hide each `a`. The pair `user:password`, which HTTP
 * sends as base64, is longer, and is masked as a secret of its own.
 */
const MIN_SECRET = 4;

/**
 * A function that masks each secret as it is, in JSON, percent-encoded, as the value of a form, and in base64, also as a part of
 * a longer text in base64, which is masked as a whole.
 * @param label what is shown instead of a secret
 */
export function createMasker(secrets: Iterable<string>, label = HIDDEN): Masker {
  const forms = new Set([...secrets].filter(({ length }) => length >= MIN_SECRET).flatMap(formsOf));
  if (forms.size === 0) return (text) => text;
  const longestFirst = [...forms].toSorted((a, b) => b.length - a.length);
  const inBase64 = longestFirst.flatMap(base64Cores);
  return (text) => {
    const masked = text.replaceAll(/[\w+/-]{4,}={0,2}/g, (word) =>
      inBase64.some((core) => word.includes(core)) ? label : word,
    );
    return longestFirst.reduce((rest, form) => rest.replaceAll(form, () => label), masked);
  };
}

function formsOf(secret: string): readonly string[] {
  const form = new URLSearchParams({ '': secret }).toString().slice(1);
  return [secret, JSON.stringify(secret).slice(1, -1), encodeURIComponent(secret.toWellFormed()), form];
}

/**
 * The characters of base64 that depend only on this text, for each of the three positions that a longer text gives it, in
 * both alphabets (RFC 4648, sections 4 and 5).
 */
function base64Cores(text: string): readonly string[] {
  const bytes = Buffer.from(text);
  return [0, 1, 2].flatMap((before) => {
    const encoded = Buffer.concat([Buffer.alloc(before), bytes]).toString('base64');
    const core = encoded.slice(Math.ceil((before * 8) / 6), Math.floor(((before + bytes.length) * 8) / 6));
    return [core, core.replaceAll('+', '-').replaceAll('/', '_')];
  });
}

/** A copy of a value in which all texts are masked, except for the keys of objects. */
export function maskTexts<T>(value: T, mask: Masker): T;
export function maskTexts(value: unknown, mask: Masker): unknown {
  if (typeof value === 'string') return mask(value);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((item: unknown) => maskTexts(item, mask));
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, maskTexts(member, mask)]));
}

/** Characters. Folders with shorter names are not random. */
const MIN_TOKEN = 16;

/**
 * The secrets of all URLs in a request or in arguments, which a server or a program may quote: password or user, values of the
 * query, and folders of the path that may be tokens.
 */
export function secretsInUrls(value: unknown): readonly string[] {
  const urls = (JSON.stringify(value) ?? '').match(/\bhttps?:\/\/[^\s"\\]+/g) ?? [];
  return urls
    .filter((url) => URL.canParse(url))
    .flatMap((url) => {
      const { password, pathname, searchParams, username } = new URL(url);
      const login = password === '' ? [username] : [password, `${username}:${password}`];
      const folders = pathname.split('/').slice(0, -1);
      return [
        ...login.flatMap((text) => [text, decoded(text)]),
        ...searchParams.values(),
        ...folders.filter(({ length }) => length >= MIN_TOKEN),
      ];
    });
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
