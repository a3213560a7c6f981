/** The answer to a GET or HEAD request for a resource, with conditions and ranges (RFC 9110). */

import { createHash } from 'node:crypto';
import type { ByteRange } from '../../../image/overlay.ts';
import { artifacts } from '../../../core/artifacts.ts';
import type { DescribedResource } from './resource.ts';

// `Range` fields (RFC 9110, section 14). Only the unit bytes is supported. As the RFC allows, an invalid field is ignored instead
// of answered with 416: every client can accept the whole content. Several ranges are one multipart response.

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
const MAX_RANGES = 100;

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
  const elements = field.slice(unit[0].length).split(',', 2 * MAX_RANGES + 1);
  const texts = elements.filter((text) => /[^ \t]/.test(text));
  if (texts.length === 0 || texts.length > MAX_RANGES || elements.length > 2 * MAX_RANGES) return undefined;
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
function formatContentRange(range: Range | undefined, size: number): string {
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

// Conditional requests (RFC 9110, section 13), and the dates that they compare (section 5.6.7).

/** Fields of a request by their names in lower case; a field that came several times is one list. */
export type Fields = Readonly<Record<string, string | readonly string[] | undefined>>;

/** Values that identify a version of the content. */
interface Validators {
  /** A strong entity tag with its quotes. */
  readonly etag: string;
  /** Fractions of a second are ignored, as dates in HTTP have none. */
  readonly lastModified: Date;
}

/** `failed`: 412. `unchanged`: 304, as the method is GET or HEAD. */
export type ConditionVerdict = 'met' | 'failed' | 'unchanged';

/** What the conditions come to in their order of precedence (section 13.2.2), all but `If-Range`. */
export function checkConditions(fields: Fields, current: Validators): ConditionVerdict {
  const { etag } = current;
  const lastModified = wholeSeconds(current.lastModified);
  const ifMatch = fieldOf(fields, 'if-match');
  const unmodifiedSince = dateField(fields, 'if-unmodified-since') ?? lastModified;
  const isExpected =
    ifMatch === undefined ? lastModified <= unmodifiedSince : isListed(ifMatch, etag, 'strong');
  if (!isExpected) return 'failed';
  const ifNoneMatch = fieldOf(fields, 'if-none-match');
  const modifiedSince = dateField(fields, 'if-modified-since');
  const isUnmodified = modifiedSince !== undefined && lastModified <= modifiedSince;
  const isKnown = ifNoneMatch === undefined ? isUnmodified : isListed(ifNoneMatch, etag, 'weak');
  return isKnown ? 'unchanged' : 'met';
}

/**
 * Whether `Range` counts: the client has no condition, or one with the current entity tag. A date alone never validates a range,
 * neither in `If-Range` nor in `If-Unmodified-Since`: it would have to be a strong validator (sections 13.1.5 and 8.8.2.2), but
 * images with the same date may differ, for example on two replicas.
 */
export function rangeApplies(fields: Fields, { etag }: Pick<Validators, 'etag'>): boolean {
  const ifRange = fieldOf(fields, 'if-range');
  if (ifRange !== undefined) return ifRange === etag;
  return fields['if-match'] !== undefined || fields['if-unmodified-since'] === undefined;
}

function wholeSeconds(date: Date): Date {
  return new Date(Math.floor(date.getTime() / 1000) * 1000);
}

/** The value of a field, or undefined. */
function fieldOf(fields: Fields, name: string): string | undefined {
  const value = fields[name];
  return value === undefined || typeof value === 'string' ? value : value.join(', ');
}

/** What is no date is ignored. */
function dateField(fields: Fields, name: string): Date | undefined {
  const text = fieldOf(fields, name);
  return text === undefined ? undefined : parseHttpDate(text);
}

/** Weak comparison leaves aside that a tag is weak; in a strong one such a tag equals nothing (section 8.8.3.2). */
function isListed(list: string, etag: string, comparison: 'strong' | 'weak'): boolean {
  if (list.trim() === '*') return true;
  for (const [, weak, tag] of list.matchAll(/(W\/)?("[\x21\x23-\x7e\x80-\xff]*")/g)) {
    if (tag === etag && (comparison === 'weak' || weak === undefined)) return true;
  }
  return false;
}

// Points in time as HTTP writes them (RFC 9110, section 5.6.7): the form of today and the two old ones, all in GMT.

const DAYS = 'Mon|Tue|Wed|Thu|Fri|Sat|Sun';
const LONG_DAYS = 'Monday|Tuesday|Wednesday|Thursday|Friday|Saturday|Sunday';
const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
const month = `(?<month>${months.join('|')})`;
const TIME = '(?<hour>\\d\\d):(?<minute>\\d\\d):(?<second>\\d\\d)';

const forms = [
  // Sun, 06 Nov 1994 08:49:37 GMT
  new RegExp(`^(?:${DAYS}), (?<day>\\d\\d) ${month} (?<year>\\d{4}) ${TIME} GMT$`),
  // Sunday, 06-Nov-94 08:49:37 GMT
  new RegExp(`^(?:${LONG_DAYS}), (?<day>\\d\\d)-${month}-(?<year>\\d\\d) ${TIME} GMT$`),
  // Sun Nov  6 08:49:37 1994
  new RegExp(`^(?:${DAYS}) ${month} (?<day>[ \\d]\\d) ${TIME} (?<year>\\d{4})$`),
];

/**
 * Undefined for what is no date. The day of the week may be any.
 * @param now defines the century of a two-digit year, which is at most 50 years in the future
 */
export function parseHttpDate(text: string, now = new Date()): Date | undefined {
  for (const form of forms) {
    const fields = form.exec(text)?.groups;
    if (fields !== undefined) return dateOf(fields, now);
  }
  return undefined;
}

function dateOf(fields: Readonly<Record<string, string>>, now: Date): Date | undefined {
  const number = (name: string): number => Number(fields[name]);
  const year = fields['year']?.length === 2 ? fullYear(number('year'), now) : number('year');
  const [day, hour, minute, second] = [number('day'), number('hour'), number('minute'), number('second')];
  if (hour > 23 || minute > 59 || second > 60) return undefined; // 60 is a leap second
  const date = new Date(0);
  date.setUTCFullYear(year, months.indexOf(fields['month'] ?? ''), day);
  if (date.getUTCDate() !== day) return undefined;
  date.setUTCHours(hour, minute, second);
  return date;
}

function fullYear(lastDigits: number, now: Date): number {
  const thisYear = now.getUTCFullYear();
  const year = thisYear - (thisYear % 100) + lastDigits;
  return year > thisYear + 50 ? year - 100 : year;
}

export interface AnsweredRequest {
  readonly method: 'GET' | 'HEAD';
  /** As in node:http. */
  readonly headers: Fields;
}

export interface Answer {
  readonly status: 200 | 206 | 304 | 412 | 416;
  readonly headers: Readonly<Record<string, string>>;
  /** In the order of sending; empty for HEAD, 304, 412 and 416. */
  readonly parts: readonly BodyPart[];
}

/** Multipart framing, or a range of the resource. */
export type BodyPart =
  | { readonly kind: 'text'; readonly bytes: Uint8Array }
  | { readonly kind: 'range'; readonly range: ByteRange };

/**
 * HEAD has the status and the headers of GET, also with `Range`. RFC 9110 defines `Range` for GET only. But clients that send
 * it with HEAD expect the result of GET, and nginx, Apache and Go answer in the same way.
 */
export function answerFor({ method, headers }: AnsweredRequest, resource: DescribedResource): Answer {
  const answer = answerToGet(headers, resource);
  return method === 'HEAD' ? { ...answer, parts: [] } : answer;
}

function answerToGet(fields: Fields, resource: DescribedResource): Answer {
  const { contentType, size } = resource;
  const verdict = checkConditions(fields, resource);
  if (verdict === 'unchanged') return { status: 304, headers: validatorHeaders(resource), parts: [] };
  const empty = { ...validatorHeaders(resource), 'Content-Length': '0' };
  if (verdict === 'failed') return { status: 412, headers: empty, parts: [] };
  const requested = rangeApplies(fields, resource) ? fieldOf(fields, 'range') : undefined;
  const range = parseRange(requested, size);
  if (range.kind === 'unsatisfiable') {
    const headers = { ...empty, 'Content-Range': formatContentRange(undefined, size) };
    return { status: 416, headers, parts: [] };
  }
  if (range.kind === 'whole') {
    const whole = { kind: 'range', range: { offset: 0, length: size } } as const;
    const headers = contentHeaders(resource, contentType, size);
    return { status: 200, headers, parts: size === 0 ? [] : [whole] };
  }
  const [first, ...others] = range.ranges;
  if (others.length > 0) return severalParts(resource, range.ranges);
  const headers = {
    ...contentHeaders(resource, contentType, first.length),
    'Content-Range': formatContentRange(first, size),
  };
  return { status: 206, headers, parts: [{ kind: 'range', range: first }] };
}

function severalParts(resource: DescribedResource, ranges: readonly Range[]): Answer {
  const { contentType, size, parts, tail } = frameRanges(resource, ranges);
  return {
    status: 206,
    headers: contentHeaders(resource, contentType, size),
    parts: [
      ...parts.flatMap(({ head, range }): BodyPart[] => [
        { kind: 'text', bytes: head },
        { kind: 'range', range },
      ]),
      { kind: 'text', bytes: tail },
    ],
  };
}

function contentHeaders(resource: DescribedResource, type: string, length: number): Record<string, string> {
  return {
    ...validatorHeaders(resource),
    'Content-Type': type,
    'Content-Length': String(length),
    'Content-Disposition': formatAttachment(resource.fileName),
  };
}

function validatorHeaders({ artifact, etag, lastModified }: DescribedResource): Record<string, string> {
  // No cache may store a file with a config or a signed URL. Clients may cache files of the vendor, but must revalidate them.
  return {
    'Accept-Ranges': 'bytes',
    ETag: etag,
    'Last-Modified': lastModified.toUTCString(),
    'Cache-Control': artifacts[artifact].isOfVendor ? 'private, no-cache' : 'private, no-store',
    'X-Content-Type-Options': 'nosniff',
  };
}

/** A name with other characters than printable ASCII is sent twice: for old clients, underscores replace these characters. */
export function formatAttachment(fileName: string): string {
  const plain = fileName.replace(/[^\x20-\x7e]/gu, '_');
  const quoted = plain.replace(/["\\]/g, String.raw`\$&`);
  const extended = plain === fileName ? '' : `; filename*=UTF-8''${escapeExtended(fileName)}`;
  return `attachment; filename="${quoted}"${extended}`;
}

/** The characters that RFC 8187 does not escape. */
const UNESCAPED = /^[A-Za-z0-9!#$&+.^_`|~-]$/;

function escapeExtended(text: string): string {
  const characters = Array.from(Buffer.from(text), (byte) => {
    const character = String.fromCharCode(byte);
    return UNESCAPED.test(character) ? character : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
  });
  return characters.join('');
}
