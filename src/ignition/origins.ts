/** Where the values of a merged config are from: what merging makes remembers what it was made of. */

import type { Path } from '../core/finding.ts';
import { once } from '../core/once.ts';
import { valueAt } from '../formats/mapping.ts';
import type { Config } from './config.ts';

/** For each object and list, those of which it was made; later ones take precedence. */
const parts = new WeakMap<object, readonly object[]>();

/** Remembers what an object or list was made of, and returns it. */
export function madeOf<T extends object>(made: T, ...from: readonly unknown[]): T {
  parts.set(made, from.filter(isObject));
  return made;
}

/** What an object or list was made of; none if it is not known. */
export function partsOf(made: object): readonly object[] {
  return parts.get(made) ?? [];
}

/** A value of a merged config in one of the configs that were merged. */
interface Origin<Source> {
  readonly source: Source;
  readonly path: Path;
}

/**
 * Returns a function that finds the origin of a value by its path in the merged config. The last source with the value sets it;
 * a missing value belongs to the first source that has an object around it.
 */
export function traceOrigins<Source extends { readonly config: Config }>(
  merged: Config,
  sources: readonly Source[],
): (path: Path) => Origin<Source> {
  const places = once(() => {
    const found = new Map<object, Origin<Source>>();
    const note = (value: unknown, origin: Origin<Source>): void => {
      if (!isObject(value)) return;
      found.set(value, origin);
      const steps = Array.isArray(value) ? value.keys() : Object.keys(value);
      for (const step of steps) note(valueAt(value, [step]), { ...origin, path: [...origin.path, step] });
    };
    for (const source of sources) note(source.config, { source, path: [] });
    return found;
  });
  const originOf = (original: object | undefined): Origin<Source> =>
    (original && places().get(original)) ?? { source: sources[0]!, path: [] };
  /** Objects and lists of the sources. */
  const originals = (made: object): readonly object[] =>
    places().has(made) ? [made] : partsOf(made).flatMap(originals);

  return (path) => {
    const around: object[] = [merged];
    for (const step of path) {
      const inner = valueAt(around.at(-1), [step]);
      if (!isObject(inner)) break;
      around.push(inner);
    }
    const depth = Math.max(
      0,
      around.findLastIndex((made) => originals(made).length > 0),
    );
    const known = originals(around[depth] ?? {});
    const [step, ...rest] = path.slice(depth);
    const oldest = originOf(known[0]);
    if (step === undefined) return path.length === 0 ? oldest : originOf(known.at(-1));
    const holder = around[depth];
    const value = valueAt(holder, [step]);
    let equalBehind = equalItems(holder, value).filter((index) => index > Number(step)).length;
    for (const original of known.toReversed()) {
      let found: string | number | undefined = step;
      if (Array.isArray(original)) {
        // Merging moves the strings of a list, of which some may be equal.
        const equal = equalItems(original, value);
        found = equal.at(-1 - equalBehind);
        equalBehind -= equal.length;
      }
      if (found === undefined || valueAt(original, [found]) === undefined) continue;
      const { source, path: place } = originOf(original);
      return { source, path: [...place, found, ...rest] };
    }
    return { ...oldest, path: [...oldest.path, step, ...rest] };
  };
}

function equalItems(list: unknown, value: unknown): readonly number[] {
  return Array.isArray(list) ? list.flatMap((item, index) => (item === value ? [index] : [])) : [];
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
