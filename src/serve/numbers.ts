/** Numbers and lengths of time on the command line. */

import { UsageError } from '../core/errors.ts';

const units: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400 };
/** Ten years. */
const LONGEST = 10 * 365 * 86_400;

/** `90`, `90s`, `15m`, `12h`, `7d`, in milliseconds. Throws UsageError. */
export function parseDuration(text: string, option: string): number {
  const [, digits = '', unit = 's'] = /^(\d{1,9})([smhd])?$/.exec(text) ?? [];
  const seconds = Number(digits) * (units[unit] ?? 1);
  if (digits !== '' && seconds <= LONGEST) return seconds * 1000;
  throw new UsageError(`${option} ${JSON.stringify(text)} is no length of time`, {
    hint: 'give seconds, or a number with s, m, h or d behind it: 12h',
  });
}

/** Throws UsageError. */
export function parseWholeNumber(
  text: string,
  option: string,
  { least, most }: { readonly least: number; readonly most: number },
): number {
  const value = /^\d{1,9}$/.test(text) ? Number(text) : -1;
  if (value >= least && value <= most) return value;
  throw new UsageError(`${option} takes a whole number from ${least} to ${most}`);
}
