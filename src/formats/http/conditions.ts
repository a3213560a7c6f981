/** Conditional requests (RFC 9110, section 13): whether the client has, or still means, what there is now. */

import { parseHttpDate } from './httpDate.ts';

/** Fields of a request by their names in lower case; a field that came several times is one list. */
export type Fields = Readonly<Record<string, string | readonly string[] | undefined>>;

/** What tells one version from another. */
export interface Validators {
  /** A strong entity tag with its quotes. */
  readonly etag: string;
  /** In whole seconds. */
  readonly lastModified: Date;
}

/** `failed`: 412. `unchanged`: 304, as the method is GET or HEAD. */
export type ConditionVerdict = 'met' | 'failed' | 'unchanged';

/** What the conditions come to in their order of precedence (section 13.2.2), all but `If-Range`. */
export function checkConditions(fields: Fields, current: Validators): ConditionVerdict {
  const ifMatch = fieldOf(fields, 'if-match');
  const expected =
    ifMatch === undefined ? !changedSince(fields, current) : isListed(ifMatch, current.etag, 'strong');
  if (!expected) return 'failed';
  const ifNoneMatch = fieldOf(fields, 'if-none-match');
  const known =
    ifNoneMatch === undefined ? !modifiedSince(fields, current) : isListed(ifNoneMatch, current.etag, 'weak');
  return known ? 'unchanged' : 'met';
}

/** Whether `Range` counts: `If-Range` is absent or names exactly what there is now (section 13.1.5). */
export function rangeApplies(fields: Fields, { etag, lastModified }: Validators): boolean {
  const ifRange = fieldOf(fields, 'if-range');
  if (ifRange === undefined || ifRange === etag) return true;
  return parseHttpDate(ifRange)?.getTime() === lastModified.getTime();
}

/** The value of a field, or undefined. */
export function fieldOf(fields: Fields, name: string): string | undefined {
  const value = fields[name];
  return value === undefined || typeof value === 'string' ? value : value.join(', ');
}

/** `If-Unmodified-Since` is there and not met. What is no date is ignored, as for all dates. */
function changedSince(fields: Fields, { lastModified }: Validators): boolean {
  const date = dateField(fields, 'if-unmodified-since');
  return date !== undefined && lastModified > date;
}

/** `If-Modified-Since` is absent or met. */
function modifiedSince(fields: Fields, { lastModified }: Validators): boolean {
  const date = dateField(fields, 'if-modified-since');
  return date === undefined || lastModified > date;
}

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
