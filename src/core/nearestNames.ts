/**
 * Suggestions after an error. They may be less similar than `nearestName` in `formats/messageText.ts` requires, which decides whether
 * a name is a misspelling at all.
 */

/** At most three names, the most similar first; empty without similar names. */
export function nearestNames(typed: string, names: Iterable<string>): readonly string[] {
  const wanted = pairsOf(typed);
  return Array.from(names, (name) => ({ name, likeness: likeness(wanted, pairsOf(name)) }))
    .filter(({ likeness: value }) => value >= LEAST_LIKENESS)
    .toSorted((a, b) => b.likeness - a.likeness)
    .slice(0, 3)
    .map(({ name }) => name);
}

const LEAST_LIKENESS = 0.5;

/** Longer texts are not misspelled names. */
const LONGEST_NAME = 80;

/** The pairs of adjacent letters, including the ends of words. */
function pairsOf(text: string): ReadonlySet<string> {
  const padded = ` ${text
    .slice(0, LONGEST_NAME)
    .toLowerCase()
    .replaceAll(/[^a-z0-9.]+/g, ' ')} `;
  return new Set(Array.from(padded, (_, index) => padded.slice(index, index + 2)));
}

/** Dice coefficient, from 0 to 1: the share of common pairs. */
function likeness(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  const shared = Array.from(a).filter((pair) => b.has(pair)).length;
  return (2 * shared) / (a.size + b.size);
}
