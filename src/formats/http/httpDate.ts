/** Points in time as HTTP writes them (RFC 9110, section 5.6.7): the form of today and the two old ones, all in GMT. */

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

/** In the form of today; parts of a second are lost. */
export function formatHttpDate(date: Date): string {
  return date.toUTCString();
}

/**
 * Undefined for what is no date. The day of the week may be any.
 * @param now tells the century of a year of two digits, which is at most 50 years ahead
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
