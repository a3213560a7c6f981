/**
 * The path of a request target (RFC 9112, section 3.2). Everything that two programs might read differently is refused:
 * dot segments, empty segments, escaped slashes, backslashes, control characters. A query is left aside.
 */

import { isUtf8 } from 'node:buffer';
import { cutText } from '../../../formats/goText.ts';
import { escapeProblem, unescapeInPlace } from '../../../formats/percentEscapes.ts';

/** Characters of a target. */
const MAX_LENGTH = 2048;

/**
 * Decoded, without the leading slash: empty for `/`. Undefined for an invalid path, also for the targets of CONNECT and
 * OPTIONS. An absolute target (`http://HOST/PATH`) may have any host.
 */
export function parseRequestPath(target: string): string | undefined {
  if (target.length > MAX_LENGTH) return undefined;
  const origin = /^https?:\/\/[^/?#]+/i.exec(target)?.[0] ?? '';
  const [path] = cutText(target.slice(origin.length), '?');
  if (path === '/' || (path === '' && origin !== '')) return '';
  if (!path.startsWith('/')) return undefined;
  const segments = path.slice(1).split('/').map(decodeSegment);
  return segments.includes(undefined) ? undefined : segments.join('/');
}

function decodeSegment(escaped: string): string | undefined {
  if (escapeProblem(escaped) !== undefined) return undefined;
  const bytes = unescapeInPlace(Buffer.from(escaped, 'latin1'));
  if (!isUtf8(bytes)) return undefined;
  const text = bytes.toString();
  if (text === '' || text === '.' || text === '..') return undefined;
  return /[\p{Cc}/\\]/u.test(text) ? undefined : text;
}
