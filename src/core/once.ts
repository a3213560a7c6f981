/** A reader that reads with its first call only. */
export function once<T extends object>(read: () => T): () => T {
  let result: T | undefined;
  return () => (result ??= read());
}
