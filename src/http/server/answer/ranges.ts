/**
 * Parses `Range` fields (RFC 9110, section 14). Only the unit bytes is supported. As the RFC allows, an invalid field is
 * ignored instead of answered with 416: every client can accept the whole content. Several ranges are one multipart response.
 */

import { createHash } from 'node:crypto';

/** Bytes of a whole; never empty. */
export interface Range {
  readonly offset: number;
  readonly length: number;
}

export type RangeRequest =
  /** The whole content, also for an invalid field. */
  | { readonly kind: 'whole' }
  /** One or more that neither overlap nor touch, in the order in which the client named them. */
  | { readonly kind: 'ranges'; readonly ranges: readonly [Range, ...Range[]] }
  /** Everything that is wanted lies behind the end. */
  | { readonly kind: 'unsatisfiable' };

/**
 * More in one field are ignored, so that the framing and the many small reads cost no more than the whole would. Neither
 * a BMC nor a download manager asks for as many; nginx and Apache ignore them, too. Refusing would keep no attacker off,
 * who may ask for the whole at any time.
 */
const maxRanges = 100;

/**
 * @param field the value of `Range`, undefined without this field
 * @param size bytes of the whole. Nothing of it can be named where it is empty, so that all of it is the answer (as in
 *   Go's net/http: some clients send a range with every request).
 */
export function parseRange(field: string | undefined, size: number): RangeRequest {
  const specs = field === undefined || size === 0 ? undefined : parseSpecs(field, size);
  if (specs === undefined) return { kind: 'whole' };
  const [first, ...others] = joined(specs.filter(({ length }) => length > 0));
  return first === undefined ? { kind: 'unsatisfiable' } : { kind: 'ranges', ranges: [first, ...others] };
}

/** Undefined for an invalid field. */
function parseSpecs(field: string, size: number): Range[] | undefined {
  const unit = /^bytes=/i.exec(field);
  if (unit === null) return undefined;
  // Empty elements are to be skipped; of these, too, there may only be so many.
  const elements = field.slice(unit[0].length).split(',', 2 * maxRanges + 1);
  const texts = elements.filter((text) => /[^ \t]/.test(text));
  if (texts.length === 0 || texts.length > maxRanges || elements.length > 2 * maxRanges) return undefined;
  const specs = texts.flatMap((text) => parseSpec(text, size) ?? []);
  return specs.length === texts.length ? specs : undefined;
}

/**
 * Undefined for an invalid range; without a length if it lies behind the end. Numbers may be beyond what is exact, and
 * infinite: then they are beyond every size as well.
 */
function parseSpec(text: string, size: number): Range | undefined {
  const [, first = '', last = ''] = /^[ \t]*(\d*)-(\d*)[ \t]*$/.exec(text) ?? [];
  if (first === '' && last === '') return undefined;
  if (first === '') {
    const length = Math.min(Number(last), size);
    return { offset: size - length, length };
  }
  const [offset, end] = [Number(first), last === '' ? Infinity : Number(last)];
  return offset <= end ? { offset, length: Math.min(end + 1, size) - offset } : undefined;
}

/** Ranges that overlap or touch become one, in the place of the first of them. */
function joined(ranges: readonly Range[]): Range[] {
  const groups: { start: number; end: number; place: number }[] = [];
  const inOrder = ranges.map(({ offset, length }, place) => ({ start: offset, end: offset + length, place }));
  for (const range of inOrder.toSorted((a, b) => a.start - b.start)) {
    const group = groups.at(-1);
    if (group === undefined || range.start > group.end) {
      groups.push(range);
      continue;
    }
    group.end = Math.max(group.end, range.end);
    group.place = Math.min(group.place, range.place);
  }
  return groups
    .toSorted((a, b) => a.place - b.place)
    .map(({ start, end }) => ({ offset: start, length: end - start }));
}

/** The whole that the ranges are of. */
interface Whole {
  readonly contentType: string;
  readonly size: number;
  /** Made from the content. */
  readonly etag: string;
}

/** Text that frames a range: it goes before the bytes. */
interface FramedRange {
  readonly head: Uint8Array;
  readonly range: Range;
}

interface Multipart {
  readonly contentType: string;
  /** Bytes of all: text and ranges. */
  readonly size: number;
  readonly parts: readonly FramedRange[];
  readonly tail: Uint8Array;
}

/** Several ranges in one answer: multipart/byteranges (RFC 9110, section 14.6). */
export function frameRanges(whole: Whole, ranges: readonly Range[]): Multipart {
  const boundary = boundaryFor(whole);
  const parts = ranges.map((range, index) => {
    const lines = [
      ...(index === 0 ? [] : ['']),
      `--${boundary}`,
      `Content-Type: ${whole.contentType}`,
      `Content-Range: ${formatContentRange(range, whole.size)}`,
      '\r\n',
    ];
    return { head: Buffer.from(lines.join('\r\n')), range };
  });
  const tail = Buffer.from(`\r\n--${boundary}--\r\n`);
  const size = parts.reduce((sum, { head, range }) => sum + head.length + range.length, tail.length);
  return { contentType: `multipart/byteranges; boundary=${boundary}`, size, parts, tail };
}

/** The value of `Content-Range`; without a range, the value for status 416. */
export function formatContentRange(range: Range | undefined, size: number): string {
  return range === undefined
    ? `bytes */${size}`
    : `bytes ${range.offset}-${range.offset + range.length - 1}/${size}`;
}

/**
 * The boundary must not occur in the data. The author of the data cannot include a digest of its own digest. HEAD and GET
 * have the same boundary.
 */
function boundaryFor({ etag }: Whole): string {
  return createHash('sha256').update(`multipart/byteranges ${etag}`).digest('hex').slice(0, 40);
}
