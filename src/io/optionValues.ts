/** Numbers, times and addresses that users give as options. */

import { quoteText } from '../core/foreignText.ts';
import { UsageError } from '../core/errors.ts';
import { parseMacAddress } from '../core/macAddress.ts';

const units: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400 };
/** Ten years. */
const LONGEST = 10 * 365 * 86_400;

/**
 * `90`, `90s`, `15m`, `12h`, `7d`, in milliseconds.
 * @param least seconds: URLs that expire at once, for example, are of no use
 * @throws UsageError
 */
export function parseDuration(text: string, option: string, least = 0): number {
  const [, digits = '', unit = 's'] = /^(\d{1,9})([smhd])?$/.exec(text) ?? [];
  const seconds = Number(digits) * (units[unit] ?? 1);
  if (digits !== '' && seconds < least) {
    throw new UsageError(`invalid value ${quoteText(text)} for ${option}`, {
      hint: 'use a longer time, for example 30m or 7d',
    });
  }
  if (digits !== '' && seconds <= LONGEST) return seconds * 1000;
  throw new UsageError(`invalid duration ${quoteText(text)} for ${option}`, {
    hint: 'use seconds, or a number with the unit s, m, h or d, such as 12h',
  });
}

/** A number, or `infinite`. @throws UsageError */
export function parseRetries(text: string, option: string): number {
  if (text === 'infinite') return Infinity;
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new UsageError(`invalid value ${quoteText(text)} for ${option}`, {
    hint: 'use a number, or infinite',
  });
}

/** Throws UsageError. */
export function parseWholeNumber(text: string, option: string, least: number, most: number): number {
  const value = /^\d{1,9}$/.test(text) ? Number(text) : -1;
  if (value >= least && value <= most) return value;
  throw new UsageError(
    `invalid value ${quoteText(text)} for ${option}: not a whole number from ${least} to ${most}`,
  );
}

/** In lower case. @throws UsageError */
export function parseMac(text: string, option: string): string {
  const address = parseMacAddress(text);
  if ('mac' in address) return address.mac;
  throw new UsageError(`invalid value ${quoteText(text)} for ${option}: ${address.problem}`, {
    hint: 'use the form 52:54:00:12:34:56',
  });
}
