/**
 * A reader that reads with its first call only. If that throws, the next call reads again; a promise is kept, even one that is
 * rejected.
 */
export function once<T extends object>(read: () => T): () => T {
  let result: T | undefined;
  return () => (result ??= read());
}
