/** Options that take one of a few values, such as `--format`, and names that the user may have meant. */

import { UsageError } from '../../core/errors.ts';

/** At most three, the most similar first; none where nothing is similar. */
export function nearestNames(typed: string, names: Iterable<string>): readonly string[] {
  const wanted = pairsOf(typed);
  return Array.from(names, (name) => ({ name, likeness: likeness(wanted, pairsOf(name)) }))
    .filter(({ likeness: value }) => value >= leastLikeness)
    .toSorted((a, b) => b.likeness - a.likeness)
    .slice(0, 3)
    .map(({ name }) => name);
}

/** The hint for the invalid value `typed`: the most similar value first, then all valid values. */
export function hintChoices(typed: string, choices: readonly string[]): string {
  const [nearest] = nearestNames(typed, choices);
  const values = choices.join(', ');
  return nearest === undefined ? `use one of ${values}` : `use ${nearest}; valid values: ${values}`;
}

/**
 * The value of an option that takes one of a few; undefined where none is given.
 * @throws UsageError for any other value
 */
export function parseChoice<T extends string>(
  flag: string,
  text: string | undefined,
  choices: readonly T[],
): T | undefined {
  const choice = choices.find((known) => known === text);
  if (choice !== undefined || text === undefined) return choice;
  throw new UsageError(`invalid value ${JSON.stringify(text)} for ${flag}`, {
    hint: hintChoices(text, choices),
  });
}

/**
 * The value of `--format`; the first one is the default.
 * @throws UsageError for an invalid value
 */
export function parseFormat<T extends string>(text: string | undefined, formats: readonly [T, ...T[]]): T {
  return parseChoice('--format', text, formats) ?? formats[0];
}

const leastLikeness = 0.5;

/** Longer texts are no slip of the pen. */
const longestName = 80;

/** The pairs of neighbouring letters, the ends of the words included. */
function pairsOf(text: string): ReadonlySet<string> {
  const padded = ` ${text
    .slice(0, longestName)
    .toLowerCase()
    .replaceAll(/[^a-z0-9.]+/g, ' ')} `;
  return new Set(Array.from(padded, (_, index) => padded.slice(index, index + 2)));
}

/** From 0 to 1, after Dice: the share of pairs that both have. */
function likeness(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  const shared = Array.from(a).filter((pair) => b.has(pair)).length;
  return (2 * shared) / (a.size + b.size);
}

export type TextOrJson = 'text' | 'json';

/**
 * @param format as the user gave it; `text` when it is left out
 * @throws UsageError for any other
 */
export function parseTextOrJson(format: string | undefined): TextOrJson {
  return parseFormat(format, ['text', 'json']);
}

/** A value as JSON over several lines, ready to be written. */
export function jsonBytes(value: unknown): Uint8Array {
  return Buffer.from(`${JSON.stringify(value, undefined, 2)}\n`);
}
