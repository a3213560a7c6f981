/** MAC addresses as ramdisks send them. */

/** Of one request; no machine has so many interfaces. */
const MAX_MACS = 1024;

/**
 * In lower case, each once; what Ironic does not take for one is left out, e.g. the longer addresses of InfiniBand and
 * those with dashes.
 */
export function normalizeMacs(texts: Iterable<string>): string[] {
  const macs = new Set<string>();
  for (const text of texts) {
    if (macs.size >= MAX_MACS) break;
    if (/^[0-9a-f]{2}(?::[0-9a-f]{2}){5}$/i.test(text)) macs.add(copyOf(text.toLowerCase()));
  }
  return [...macs];
}

/** A part of a text keeps the whole text in memory, which may be a request of many kilobytes. */
function copyOf(ascii: string): string {
  return Buffer.from(ascii, 'latin1').toString('latin1');
}
