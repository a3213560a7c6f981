/** Sets of bytes as lists of stretches, which neither overlap nor touch each other. */

/** `end` is the first byte behind it. */
export interface Stretch {
  readonly start: number;
  readonly end: number;
}

/** The list with one more, joined with those that it overlaps or touches. */
export function addStretch(stretches: readonly Stretch[], added: Stretch): Stretch[] {
  const isApart = ({ start, end }: Stretch): boolean => end < added.start || start > added.end;
  let { start, end } = added;
  for (const stretch of stretches) {
    if (isApart(stretch)) continue;
    start = Math.min(start, stretch.start);
    end = Math.max(end, stretch.end);
  }
  return [...stretches.filter(isApart), { start, end }];
}

export function countBytes(stretches: readonly Stretch[]): number {
  return stretches.reduce((sum, { start, end }) => sum + end - start, 0);
}
