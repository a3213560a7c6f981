/**
 * The path of a request target (RFC 9112, section 3.2). Everything that two programs might read differently is refused:
 * dot segments, empty segments, escaped slashes, backslashes, control characters. A query is left aside.
 */

import { escapeProblem, unescapeInPlace } from '../goUrl.ts';

/** Characters of a target. */
const maxLength = 2048;

/**
 * Decoded, without the leading slash: empty for `/`. Undefined for an invalid path, also for the targets of CONNECT and
 * OPTIONS. An absolute target (`http://HOST/PATH`) may have any host.
 */
export function parseRequestPath(target: string): string | undefined {
  if (target.length > maxLength) return undefined;
  const path = withoutQuery(withoutOrigin(target));
  if (!path.startsWith('/')) return undefined;
  if (path === '/') return '';
  const segments = path.slice(1).split('/').map(decodeSegment);
  return segments.includes(undefined) ? undefined : segments.join('/');
}

function withoutOrigin(target: string): string {
  const origin = /^https?:\/\/[^/?#]+/i.exec(target)?.[0];
  if (origin === undefined) return target;
  const rest = target.slice(origin.length);
  return rest === '' || rest.startsWith('?') ? `/${rest}` : rest;
}

function withoutQuery(target: string): string {
  const mark = target.indexOf('?');
  return mark < 0 ? target : target.slice(0, mark);
}

function decodeSegment(escaped: string): string | undefined {
  if (escapeProblem(escaped) !== undefined) return undefined;
  const text = decodeUtf8(unescapeInPlace(Buffer.from(escaped, 'latin1')));
  if (text === undefined || text === '' || text === '.' || text === '..') return undefined;
  return /[\p{Cc}/\\]/u.test(text) ? undefined : text;
}

const strictUtf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function decodeUtf8(bytes: Uint8Array): string | undefined {
  try {
    return strictUtf8.decode(bytes);
  } catch {
    return undefined;
  }
}
