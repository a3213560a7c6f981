/** Bytes per second of transfers, from how many bytes they have at several times. */

/** Milliseconds over which a rate is measured. */
const WINDOW = 5000;

/** Gets what the bytes are of, and how many there are now. Undefined before a second has passed. */
export type RateOf = (key: string, bytes: number) => number | undefined;

/** @param now milliseconds */
export function createRates(now: () => number = () => performance.now()): RateOf {
  const samples = new Map<string, readonly { readonly at: number; readonly bytes: number }[]>();
  return (key, bytes) => {
    const at = now();
    const known = samples.get(key) ?? [];
    // A file that is fetched again begins with no bytes.
    const isAgain = bytes < (known.at(-1)?.bytes ?? 0);
    const recent = isAgain ? [] : known.filter((sample) => at - sample.at <= WINDOW);
    if (at - (recent.at(-1)?.at ?? -Infinity) >= 1000) samples.set(key, [...recent, { at, bytes }]);
    const [first] = recent;
    return first === undefined || at - first.at < 1000
      ? undefined
      : ((bytes - first.bytes) / (at - first.at)) * 1000;
  };
}
