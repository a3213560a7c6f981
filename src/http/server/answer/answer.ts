/** The answer to a GET or HEAD request for a resource, with conditions and ranges (RFC 9110). */

import { checkConditions, fieldOf, type Fields, rangeApplies } from './conditions.ts';
import { formatContentRange, frameRanges, parseRange, type Range } from './ranges.ts';
import type { ByteRange } from '../../../image/overlay.ts';
import { artifacts, type ServedResource } from './resource.ts';

export interface AnsweredRequest {
  readonly method: 'GET' | 'HEAD';
  /** As in node:http. */
  readonly headers: Fields;
}

/** The properties of a resource that are known without opening it. */
export type Described = Omit<ServedResource, 'open' | 'check'>;

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
export function answerFor({ method, headers }: AnsweredRequest, resource: Described): Answer {
  const answer = answerToGet(headers, resource);
  return method === 'HEAD' ? { ...answer, parts: [] } : answer;
}

function answerToGet(fields: Fields, resource: Described): Answer {
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

function severalParts(resource: Described, ranges: readonly Range[]): Answer {
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

function contentHeaders(resource: Described, type: string, length: number): Record<string, string> {
  return {
    ...validatorHeaders(resource),
    'Content-Type': type,
    'Content-Length': String(length),
    'Content-Disposition': formatAttachment(resource.fileName),
  };
}

function validatorHeaders({ artifact, etag, lastModified }: Described): Record<string, string> {
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
const unescaped = /^[A-Za-z0-9!#$&+.^_`|~-]$/;

function escapeExtended(text: string): string {
  const characters = Array.from(Buffer.from(text), (byte) => {
    const character = String.fromCharCode(byte);
    return unescaped.test(character) ? character : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
  });
  return characters.join('');
}
