/** Conditional requests (RFC 9110, section 13), and the dates that they compare (section 5.6.7). */

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
export function fieldOf(fields: Fields, name: string): string | undefined {
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

const days = 'Mon|Tue|Wed|Thu|Fri|Sat|Sun';
const longDays = 'Monday|Tuesday|Wednesday|Thursday|Friday|Saturday|Sunday';
const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
const month = `(?<month>${months.join('|')})`;
const time = '(?<hour>\\d\\d):(?<minute>\\d\\d):(?<second>\\d\\d)';

const forms = [
  // Sun, 06 Nov 1994 08:49:37 GMT
  new RegExp(`^(?:${days}), (?<day>\\d\\d) ${month} (?<year>\\d{4}) ${time} GMT$`),
  // Sunday, 06-Nov-94 08:49:37 GMT
  new RegExp(`^(?:${longDays}), (?<day>\\d\\d)-${month}-(?<year>\\d\\d) ${time} GMT$`),
  // Sun Nov  6 08:49:37 1994
  new RegExp(`^(?:${days}) ${month} (?<day>[ \\d]\\d) ${time} (?<year>\\d{4})$`),
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
