/** Options with a fixed set of values, such as `--format`, and suggestions for misspelled names. */

import { UsageError } from '../../core/errors.ts';

/** At most three names, the most similar first; empty without similar names. */
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
 * The value of an option with a fixed set of values; undefined if the option is absent.
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

/** Longer texts are not misspelled names. */
const longestName = 80;

/** The pairs of adjacent letters, including the ends of words. */
function pairsOf(text: string): ReadonlySet<string> {
  const padded = ` ${text
    .slice(0, longestName)
    .toLowerCase()
    .replaceAll(/[^a-z0-9.]+/g, ' ')} `;
  return new Set(Array.from(padded, (_, index) => padded.slice(index, index + 2)));
}

/** Dice coefficient, from 0 to 1: the share of common pairs. */
function likeness(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  const shared = Array.from(a).filter((pair) => b.has(pair)).length;
  return (2 * shared) / (a.size + b.size);
}

export type TextOrJson = 'text' | 'json';

/**
 * @param format the value from the user; default `text`
 * @throws UsageError for any other value
 */
export function parseTextOrJson(format: string | undefined): TextOrJson {
  return parseFormat(format, ['text', 'json']);
}

/** A value as JSON over several lines, ready to be written. */
export function jsonBytes(value: unknown): Uint8Array {
  return Buffer.from(`${JSON.stringify(value, undefined, 2)}\n`);
}
