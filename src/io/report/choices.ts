/** Options in messages: their flags, and the values of those with a fixed set, such as `--format`. */

import { quoteText } from '../../core/foreignText.ts';
import { UsageError } from '../../core/errors.ts';
import { nearestNames } from '../../core/nearestNames.ts';
import { jsonText } from '../../formats/mapping.ts';

/** The flag of an option: `--boot-mac` for `bootMac`. */
export function flagOf(option: string): string {
  return `--${option.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

/** Options that have no effect without another one. */
export type Dependents<Name extends string> = readonly (readonly [
  needed: Name,
  dependent: readonly Name[],
])[];

/** An option without effect is probably a mistake. */
export function refuseUnused<Name extends string>(
  options: { readonly [key in Name]?: unknown },
  dependents: Dependents<Name>,
): void {
  for (const [needed, names] of dependents) {
    const unused = options[needed] === undefined && names.find((name) => options[name] !== undefined);
    if (unused === undefined || unused === false) continue;
    const [flag, name] = [flagOf(needed), flagOf(unused)];
    throw new UsageError(`${name} requires ${flag}`, { hint: `add ${flag}, or remove ${name}` });
  }
}

/** The hint for the invalid value `typed`: the most similar value first, then all valid values. */
export function hintChoices(typed: string, choices: readonly string[]): string {
  const [nearest] = nearestNames(typed, choices);
  const values = choices.join(', ');
  return nearest === undefined ? `use one of ${values}` : `use ${nearest}; valid values: ${values}`;
}

/**
 * The value of an option with a fixed set of values.
 * @throws UsageError for any other value
 */
export function parseChoice<T extends string>(flag: string, text: string, choices: readonly T[]): T {
  const choice = choices.find((known) => known === text);
  if (choice !== undefined) return choice;
  throw new UsageError(`invalid value ${quoteText(text)} for ${flag}`, {
    hint: hintChoices(text, choices),
  });
}

/** A value as JSON over several lines, ready to be written. */
export function jsonBytes(value: unknown): Uint8Array {
  return Buffer.from(jsonText(value));
}
