/** Works on many items, some of them at the same time. */

/** The results, in the order of the items. @param limit items that are worked on at the same time */
export async function runParallel<T, R>(
  items: readonly T[],
  limit: number,
  work: (item: T) => Promise<R>,
): Promise<readonly R[]> {
  const inTurn = createConcurrencyLimit(limit);
  return Promise.all(items.map((item) => inTurn(() => work(item))));
}

/** Runs at most `count` tasks at the same time; the others wait in the order of their calls. */
export function createConcurrencyLimit(count: number): <T>(work: () => Promise<T>) => Promise<T> {
  let free = count;
  const waiting: (() => void)[] = [];
  return async (work) => {
    if (free > 0) free -= 1;
    else await new Promise<void>((resolve) => void waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next === undefined) free += 1;
      else next();
    }
  };
}
