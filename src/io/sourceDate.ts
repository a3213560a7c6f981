/** The time of created files, from the variable SOURCE_DATE_EPOCH (https://reproducible-builds.org/specs/source-date-epoch/). */

import { quoteText } from '../core/foreignText.ts';
import { UsageError } from '../core/errors.ts';
import type { Io } from './io.ts';

/** The last second that tar, gzip and ISO 9660 can write, in the year 2106. */
const LAST = 2 ** 32 - 1;

/** Undefined if the variable is unset or empty. @throws UsageError if it is no such time */
export function sourceDate({ env }: Pick<Io, 'env'>): Date | undefined {
  const seconds = env['SOURCE_DATE_EPOCH'] ?? '';
  if (seconds === '') return undefined;
  if (/^\d+$/.test(seconds) && Number(seconds) <= LAST) return new Date(Number(seconds) * 1000);
  throw new UsageError(
    `SOURCE_DATE_EPOCH is not a number of seconds from 0 to ${LAST}: ${quoteText(seconds)}`,
    {
      hint: 'set it to seconds since 1970, for example SOURCE_DATE_EPOCH=1790000000',
    },
  );
}
