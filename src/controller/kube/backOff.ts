/** How long to wait before the next attempt: twice as long after each that failed. */

/** Milliseconds. */
export interface BackOff {
  readonly first: number;
  readonly longest: number;
}

/** @param failures so far, of which the first counts 1 */
export function backOffAfter({ first, longest }: BackOff, failures: number): number {
  return Math.min(first * 2 ** Math.max(failures - 1, 0), longest);
}

/** Between the half and all of it, so that those who failed at one time do not come back at one time. */
export function withJitter(milliseconds: number, random = Math.random): number {
  return milliseconds * (0.5 + random() / 2);
}
