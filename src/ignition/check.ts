/** What all checks of an Ignition config share. */

import type { Finding } from '../core/finding.ts';
import type { Integer } from './config.ts';
import type { SpecVersion } from './versions.ts';

/** The check of one type, in the order in which Ignition reports issues; it does not check nested types. */
export type Check<T> = (value: T, version: SpecVersion) => Iterable<Finding>;

export function isNonZero(value: Integer | undefined): value is Integer {
  return value !== undefined && BigInt(value) !== 0n;
}
