/** Groups and compares the items of lists, and does what the arguments of a call cannot do for long lists. */

/** The items grouped by key. Keys are in the order of their first items, and the items of a group in the given order. */
export function groupBy<T, K>(items: Iterable<T>, keyOf: (item: T) => K): Map<K, T[]> {
  const groups = new Map<K, T[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [item]);
    else group.push(item);
  }
  return groups;
}

/** The items that `others` does not contain, or not as often. Items with the same key count as equal. */
export function withoutThose<T>(
  items: readonly T[],
  others: readonly T[],
  keyOf: (item: T) => unknown = (item) => item,
): T[] {
  const counts = new Map(Array.from(groupBy(others, keyOf), ([key, { length }]) => [key, length]));
  return items.filter((item) => {
    const key = keyOf(item);
    const count = counts.get(key) ?? 0;
    counts.set(key, count - 1);
    return count <= 0;
  });
}

/**
 * Appends items of any number. As the arguments of one call, as in `push(...items)` or `Math.max(...numbers)`, more than some
 * ten thousand are a RangeError, because arguments are on the stack.
 */
export function append<T>(list: T[], items: Iterable<T>): void {
  for (const item of items) list.push(item);
}

/** The largest of any number of numbers. @param least the result for an empty list */
export function largest(numbers: Iterable<number>, least = -Infinity): number {
  let found = least;
  for (const number of numbers) found = Math.max(found, number);
  return found;
}
