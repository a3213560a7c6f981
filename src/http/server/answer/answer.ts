/** The answer to a GET or HEAD request for a resource. */

import { artifacts } from '../../../core/artifacts.ts';
import type { ByteRange } from '../../../image/overlay.ts';
import { checkConditions, fieldOf, type Fields, rangeApplies } from './conditions.ts';
import { parseRange } from './ranges.ts';
import type { DescribedResource } from './resource.ts';

export interface Answer {
  readonly status: 200 | 206 | 304 | 412 | 416;
  readonly headers: Readonly<Record<string, string>>;
  /** Of the resource; undefined for no body. */
  readonly range: ByteRange | undefined;
}

/**
 * The answer to GET. HEAD has the same status and headers, also with `Range`. RFC 9110 defines `Range` for GET only. But clients
 * that send it with HEAD expect the result of GET, and nginx, Apache and Go answer in the same way.
 * @param fields as in node:http
 */
export function answerFor(fields: Fields, resource: DescribedResource): Answer {
  const { size } = resource;
  const verdict = checkConditions(fields, resource);
  const validators = validatorHeaders(resource);
  if (verdict === 'unchanged') return { status: 304, headers: validators, range: undefined };
  const empty = { ...validators, 'Content-Length': '0' };
  if (verdict === 'failed') return { status: 412, headers: empty, range: undefined };
  const range = parseRange(rangeApplies(fields, resource) ? fieldOf(fields, 'range') : undefined, size);
  if (range === 'unsatisfiable')
    return { status: 416, headers: { ...empty, 'Content-Range': `bytes */${size}` }, range: undefined };
  if (range === 'whole') {
    const whole = size === 0 ? undefined : { offset: 0, length: size };
    return { status: 200, headers: contentHeaders(resource, size), range: whole };
  }
  const { length, offset } = range;
  const headers = {
    ...contentHeaders(resource, length),
    'Content-Range': `bytes ${offset}-${offset + length - 1}/${size}`,
  };
  return { status: 206, headers, range };
}

function contentHeaders(resource: DescribedResource, length: number): Record<string, string> {
  // Header fields are ASCII.
  const name = resource.fileName.replace(/[^\x20-\x7e]|["\\]/gu, '_');
  return {
    ...validatorHeaders(resource),
    'Content-Type': resource.contentType,
    'Content-Length': String(length),
    'Content-Disposition': `attachment; filename="${name}"`,
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
