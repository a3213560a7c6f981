/**
 * The parts of a text that are secrets, wherever the text stands: credentials in URLs, private keys, and values whose names
 * say so. The names around them and everything else can be shown.
 */

import { checkDataUrl } from '../formats/dataUrl.ts';
import type { Span } from '../formats/textNode.ts';
import { isSecretName } from '../core/masking.ts';

/** In order; none overlaps another. */
export function findSecretParts(text: string): Span[] {
  if (!/[=@?-]/.test(text)) return [];
  const parts = [...matches(text, credentials), ...matches(text, privateKey), ...matches(text, secretOption)];
  return joinSpans([...parts, ...findQueryValues(text), ...findAssignments(text)]);
}

/**
 * Those of an Ignition source whose contents are secret: a whole data URL, but of one that is damaged the data, and of any
 * other URL its credentials.
 */
export function findSecretSource(source: string): Span[] {
  if (checkDataUrl(source) === undefined) return [{ start: 0, end: source.length }];
  if (/^[a-z][a-z0-9+.-]{0,20}:\/\//i.test(source) || /^(?:https?|tftp|s3|gs|arn):/i.test(source)) {
    return findSecretParts(source);
  }
  const { length } = dataPrefix.exec(source)?.[0] ?? '';
  return length === source.length ? [] : [{ start: length, end: source.length }];
}

/** What stands before the data of a data URL, also where it is misspelt; it says how the data is written. */
const dataPrefix =
  /^(?:[a-z]{0,8}[:;,]?(?:[a-z]+\/[a-z0-9.+-]+)?(?:;?charset=[\w-]+)?;?[a-z]{1,6}64,|(?:data:|text\/plain|application\/(?:json|octet-stream)|;?charset=(?:utf-8|us-ascii)|[:;,])*)/i;

/** Up to the last `@` before the path, as a password may have one. */
const credentials = /(?<=:\/\/)[^\s/?#"]{1,2000}(?=@)/g;
const privateKey = /-----BEGIN [A-Z0-9 ]*PRIVATE KEY-----[^]*?(?:-----END [A-Z0-9 ]*PRIVATE KEY-----|$)/g;
/** `--creds user:password`; the value of `--secret` is a name. */
const secretOption =
  /(?<=(?:^|\s)--?(?:creds|password|passwd|passphrase|token)[ \t]+)(?:"[^"\n]*"?|'[^'\n]*'?|[^\s"']+)/g;

function matches(text: string, pattern: RegExp): Span[] {
  return [...text.matchAll(pattern)].map(({ 0: match, index }) => ({
    start: index,
    end: index + match.length,
  }));
}

/** Of URLs: `?token=…`. */
function findQueryValues(text: string): Span[] {
  return matches(
    text,
    /(?<=[?&][\w.-]{0,40}(?:key|token|secret|sig|signature|password|credential)=)[^&\s"'#]+/gi,
  );
}

/** `NAME=value` with a name that speaks of a secret, in quotes or not. */
function findAssignments(text: string): Span[] {
  return [...text.matchAll(/(?<![\w.-])([\w.-]{1,64})=(?=\S)/g)].flatMap(
    ({ 0: match, 1: name = '', index }) => {
      if (!isSecretName(name)) return [];
      const start = index + match.length;
      return [valueAt(text, start)];
    },
  );
}

function valueAt(text: string, start: number): Span {
  const first = text.charAt(start);
  const lineStart = text.lastIndexOf('\n', start - 1) + 1;
  const lineEnd = endOf(text, '\n', start);
  if (first === '"' || first === "'")
    return { start: start + 1, end: Math.min(endOf(text, first, start + 1), lineEnd) };
  const open = openQuote(text.slice(lineStart, start));
  if (open !== undefined) return { start, end: Math.min(endOf(text, open, start), lineEnd) };
  const { length } = /^\S*/.exec(text.slice(start, lineEnd))?.[0] ?? '';
  return { start, end: start + length };
}

function endOf(text: string, what: string, from: number): number {
  const at = text.indexOf(what, from);
  return at === -1 ? text.length : at;
}

/** The quote that has been opened and not closed in the beginning of a line. */
function openQuote(beginning: string): string | undefined {
  let open: string | undefined;
  for (const character of beginning) {
    if (character === open) open = undefined;
    else if (open === undefined && (character === '"' || character === "'")) open = character;
  }
  return open;
}

/** In order, and those that overlap as one. */
export function joinSpans(spans: readonly Span[]): Span[] {
  const joined: Span[] = [];
  for (const span of spans.toSorted((a, b) => a.start - b.start)) {
    const last = joined.at(-1);
    if (last === undefined || span.start > last.end) joined.push(span);
    else joined[joined.length - 1] = { start: last.start, end: Math.max(last.end, span.end) };
  }
  return joined;
}
