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

/** @param limit bytes; a single larger one is kept until the next comes */
export function createImageCache<T>(limit: number): ImageCache<T> {
  const kept = new Map<string, Cached<T>>(); // in the order in which they were asked for
  const pending = new Map<string, Promise<T>>();
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
        make()
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
