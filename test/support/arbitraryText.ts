/**
 * Arbitrary text and URLs, as `fc.string({ unit: 'binary' })` and `fc.webUrl()` make them. Those first build a table of
 * all code points, which takes a second or more in each test file.
 */

import * as fc from 'fast-check';

const SURROGATES = 0xd800;
const SURROGATE_COUNT = 0x800;

/** A code point of Unicode other than a surrogate. */
export const codePoint: fc.Arbitrary<string> = fc
  .nat(0x10ffff - SURROGATE_COUNT)
  .map(
    (index) => String.fromCodePoint(index < SURROGATES ? index : index + SURROGATE_COUNT),
    indexOfCodePoint,
  );

/** As fast-check needs it to shrink, and to mix in names such as `__proto__`. */
function indexOfCodePoint(value: unknown): number {
  const code = typeof value === 'string' ? (value.codePointAt(0) ?? -1) : -1;
  const isSurrogate = code >= SURROGATES && code < SURROGATES + SURROGATE_COUNT;
  if (code < 0 || isSurrogate || String.fromCodePoint(code) !== value) throw new Error('no code point');
  return code < SURROGATES ? code : code - SURROGATE_COUNT;
}

const letters = fc.constantFrom(
  ...'abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ'.split(''),
);
const urlText = (marks: string): fc.Arbitrary<string> =>
  fc.string({
    unit: fc.oneof(
      { weight: 10, arbitrary: letters },
      { weight: 2, arbitrary: fc.constantFrom(...marks.split('')) },
      { weight: 1, arbitrary: codePoint.map((character) => encodeURIComponent(character)) },
    ),
  });
const SEGMENT_MARKS = "-._~!$&'()*+,;=:@";

/** The parts of a URL that are not always there. */
export interface UrlParts {
  /** An authority may end with a port. */
  readonly port?: fc.Arbitrary<number>;
  /** Without it, no URL has a question mark. */
  readonly query?: fc.Arbitrary<string>;
}

/** What may follow the question mark of a URL. */
export const urlQuery: fc.Arbitrary<string> = urlText(`${SEGMENT_MARKS}/?`);

/** A URL of http or https with a host name, as RFC 3986 has them. */
export function webUrl({ port, query }: UrlParts = {}): fc.Arbitrary<string> {
  const path = fc.array(urlText(SEGMENT_MARKS)).map((parts) => parts.map((part) => `/${part}`).join(''));
  return fc
    .tuple(fc.constantFrom('http', 'https'), fc.domain(), optional(port, ':'), path, optional(query, '?'))
    .map(([scheme, host, end, segments, rest]) => `${scheme}://${host}${end}${segments}${rest}`);
}

/** A part behind its mark, or nothing. */
function optional(part: fc.Arbitrary<string | number> | undefined, mark: string): fc.Arbitrary<string> {
  if (part === undefined) return fc.constant('');
  return fc.option(part, { nil: undefined }).map((value) => (value === undefined ? '' : `${mark}${value}`));
}
