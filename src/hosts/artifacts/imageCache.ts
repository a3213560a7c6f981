/** A size-limited LRU cache of images that are built on request. */

import { createConcurrencyLimit } from '../../core/parallel.ts';

export interface ImageCache<T> extends ImageCounts {
  /** Returns the image with this name. A missing image is built once, even for concurrent requests. */
  get(name: string, make: () => Promise<Cached<T>>): Promise<T>;
}

export interface ImageCounts {
  readonly count: number;
  /** Bytes. */
  readonly size: number;
}

export interface Cached<T> {
  readonly value: T;
  /** Bytes. */
  readonly size: number;
}

/** The number of concurrent builds: each takes half a mebibyte while it runs, and a few kilobytes afterwards. */
const CONCURRENT_BUILDS = 4;

/** @param limit bytes; a single larger image stays until the next one is added */
export function createImageCache<T>(limit: number): ImageCache<T> {
  const kept = new Map<string, Cached<T>>(); // least recently used first
  const pending = new Map<string, Promise<T>>();
  const limited = createConcurrencyLimit(CONCURRENT_BUILDS);
  let size = 0;
  const build = async (name: string, make: () => Promise<Cached<T>>): Promise<T> => {
    try {
      const made = await limited(make);
      kept.set(name, made);
      size += made.size;
      for (const [oldest, { size: freed }] of kept) {
        if (size <= limit || oldest === name) break;
        kept.delete(oldest);
        size -= freed;
      }
      return made.value;
    } finally {
      pending.delete(name);
    }
  };
  return {
    get: async (name, make) => {
      const found = kept.get(name);
      if (found !== undefined) {
        kept.delete(name);
        kept.set(name, found);
        return found.value;
      }
      const made = pending.get(name) ?? build(name, make);
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
