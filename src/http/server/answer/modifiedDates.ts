/**
 * `Last-Modified` of the served files: the time at which this server first had these bytes. The dates of the inputs do not
 * suffice: an environment variable and an option have none, and a file may be replaced with an older one. For clients that
 * compare only dates (`wget -N`, `curl -z`, Ironic's image cache), other bytes must have a later date, even if both have the
 * same size. The date therefore differs between replicas and after a restart; the entity tag does not.
 */

/**
 * The date of a file in whole seconds. It is kept as long as the entity tag is the same.
 * @param key identifies the file in all snapshots
 */
export type DateOf = (key: string, etag: string) => Date;

/** More files than hosts usually fetch. If they are forgotten, unchanged files get the date of the next snapshot. */
const MAX_FILES = 50_000;

/** @returns begins a snapshot, immediately before it replaces the previous one: until then, clients fetch the old bytes */
export function createModifiedDates(): () => DateOf {
  const known = new Map<string, { readonly etag: string; readonly date: Date }>();
  let last = 0;
  return () => {
    // Rounded up, at most a second into the future: a client may have fetched the old bytes in this second.
    last = Math.max(Math.ceil(Date.now() / 1000) * 1000, last + 1000);
    const begun = new Date(last);
    return (key, etag) => {
      const found = known.get(key);
      if (found?.etag === etag) return found.date;
      if (known.size >= MAX_FILES) known.clear();
      known.set(key, { etag, date: begun });
      return begun;
    };
  };
}
