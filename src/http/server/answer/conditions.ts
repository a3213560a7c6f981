/** Conditional requests (RFC 9110, section 13). */

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

/** The verdict of all conditions in their order of precedence (section 13.2.2), except for `If-Range`. */
export function checkConditions(fields: Fields, current: Validators): ConditionVerdict {
  const { etag } = current;
  const lastModified = Math.floor(current.lastModified.getTime() / 1000) * 1000;
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
export function rangeApplies(fields: Fields, { etag }: Validators): boolean {
  const ifRange = fieldOf(fields, 'if-range');
  if (ifRange !== undefined) return ifRange === etag;
  return fields['if-match'] !== undefined || fields['if-unmodified-since'] === undefined;
}

/** A field that came several times is one list. */
export function fieldOf(fields: Fields, name: string): string | undefined {
  const value = fields[name];
  return value === undefined || typeof value === 'string' ? value : value.join(', ');
}

/** Milliseconds. Anything but the preferred form of RFC 9110, section 5.6.7, is ignored. */
function dateField(fields: Fields, name: string): number | undefined {
  const text = fieldOf(fields, name) ?? '';
  const date = new Date(text);
  return date.toUTCString() === text ? date.getTime() : undefined;
}

/** A weak tag equals nothing in a strong comparison (section 8.8.3.2). */
function isListed(list: string, etag: string, comparison: 'strong' | 'weak'): boolean {
  if (list.trim() === '*') return true;
  for (const [, weak, tag] of list.matchAll(/(W\/)?("[\x21\x23-\x7e\x80-\xff]*")/g)) {
    if (tag === etag && (comparison === 'weak' || weak === undefined)) return true;
  }
  return false;
}
