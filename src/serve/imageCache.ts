/** What was made on request, as long as there is room: the one that was asked for longest ago goes first. */

export interface ImageCache<T> {
  /** The one under this name; made where it is not there, and once for all who ask meanwhile. */
  get(name: string, make: () => Promise<Cached<T>>): Promise<T>;
  readonly count: number;
  /** Bytes. */
  readonly size: number;
}

/** Something made, and the memory that it takes. */
export interface Cached<T> {
  readonly value: T;
  /** Bytes. */
  readonly size: number;
}

/** Images that are made at the same time: each takes half a mebibyte until it is made, and a few kilobytes from then on. */
const MADE_AT_ONCE = 4;

/** @param limit bytes; a single larger one is kept until the next comes */
export function createImageCache<T>(limit: number): ImageCache<T> {
  const kept = new Map<string, Cached<T>>(); // in the order in which they were asked for
  const pending = new Map<string, Promise<T>>();
  const inTurn = createTurns(MADE_AT_ONCE);
  let size = 0;
  const keep = (name: string, made: Cached<T>): T => {
    kept.set(name, made);
    size += made.size;
    for (const [oldest, { size: freed }] of kept) {
      if (size <= limit || oldest === name) break;
      kept.delete(oldest);
      size -= freed;
    }
    return made.value;
  };
  return {
    get: async (name, make) => {
      const found = kept.get(name);
      if (found !== undefined) {
        kept.delete(name);
        kept.set(name, found);
        return found.value;
      }
      const made =
        pending.get(name) ??
        inTurn(make)
          .then((it) => keep(name, it))
          .finally(() => pending.delete(name));
      pending.set(name, made);
      return made;
    },
    get count() {
      return kept.size;
    },
    get size() {
      return size;
    },
  };
}

/** Lets at most so many run at the same time; others wait in the order in which they came. */
function createTurns(count: number): <T>(work: () => Promise<T>) => Promise<T> {
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
