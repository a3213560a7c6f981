/** Exponential backoff after failures. */

/** Milliseconds. */
export interface BackOff {
  readonly first: number;
  readonly longest: number;
}

/** @param failures the number of consecutive failures, at least 1 */
export function backOffAfter({ first, longest }: BackOff, failures: number): number {
  return Math.min(first * 2 ** (failures - 1), longest);
}

/** A random time between half and all of it, so that clients do not retry at the same time. */
export function withJitter(milliseconds: number): number {
  return milliseconds * (0.5 + Math.random() / 2);
}
