/** Lists in sentences. That of `Intl` would do, but takes longer to load than a short command does for all else. */

/** `a`, `a and b`, `a, b, and c` */
export function formatWordList(items: readonly string[]): string {
  const [last = '', ...before] = items.toReversed();
  if (before.length === 0) return last;
  const comma = before.length > 1 ? ',' : '';
  return `${before.toReversed().join(', ')}${comma} and ${last}`;
}

/** `1 host`, `2 hosts`, `0 hosts` */
export function formatCount(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
