/** The 64-bit integers of a config, which are bigint only where a number would lose digits. */

import type { Integer } from '../config.ts';

/** Whether the field is there and not 0. */
export function isNonZero(value: Integer | undefined): value is Integer {
  return value !== undefined && BigInt(value) !== 0n;
}
