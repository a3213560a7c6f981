/** Lists: their items by key, and the differences of two lists. */

/** The items by their keys, both in the order of the items. */
export function groupBy<T, K>(items: readonly T[], keyOf: (item: T) => K): Map<K, T[]> {
  const groups = new Map<K, T[]>();
  for (const item of items) {
    const group = groups.get(keyOf(item));
    if (group === undefined) groups.set(keyOf(item), [item]);
    else group.push(item);
  }
  return groups;
}

/** The items that are missing in `others`, or occur there less often. Items with the same key are equal. */
export function withoutThose<T>(
  items: readonly T[],
  others: readonly T[],
  keyOf: (item: T) => unknown = (item) => item,
): T[] {
  const counts = new Map(Array.from(groupBy(others, keyOf), ([key, { length }]) => [key, length]));
  return items.filter((item) => {
    const count = counts.get(keyOf(item)) ?? 0;
    counts.set(keyOf(item), count - 1);
    return count <= 0;
  });
}
