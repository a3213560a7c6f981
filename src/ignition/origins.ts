/** Where the values of a merged config are from: what merging makes remembers what it was made of. */

import type { Path } from '../core/finding.ts';
import { once } from '../core/once.ts';
import { valueAt } from '../formats/mapping.ts';
import type { Config } from './config.ts';

/** A member of objects and lists: those of which it was made; later ones take precedence. Copies do not have it. */
const parts = Symbol('parts');

/** Remembers what an object or list was made of, and returns it. With the values of a WeakMap, V8 keeps all configs much longer. */
export function madeOf<T extends object>(made: T, ...from: readonly unknown[]): T {
  return Object.defineProperty(made, parts, { value: from.filter(isObject), configurable: true });
}

/** What an object or list was made of; none if it is not known. */
export function partsOf(made: { readonly [parts]?: readonly object[] }): readonly object[] {
  return made[parts] ?? [];
}

/** The place of a value by its steps from an original object or list. */
type PlaceOf<Place> = (steps: Path) => Place;

type Places<Place> = WeakMap<object, PlaceOf<Place>>;

/** Declares the places of an original object or list, and of all in it that have none. */
export function declarePlaces<Place>(places: Places<Place>, original: object, placeOf: PlaceOf<Place>): void {
  if (places.has(original)) return;
  places.set(original, placeOf);
  for (const step of Array.isArray(original) ? original.keys() : Object.keys(original)) {
    const inner = valueAt(original, [step]);
    if (isObject(inner)) declarePlaces(places, inner, (steps) => placeOf([step, ...steps]));
  }
}

interface Origin<Source> {
  readonly source: Source;
  readonly path: Path;
}

/** Returns a function that finds the origin of a value by its path in the merged config, as {@link findPlace} does. */
export function traceOrigins<Source extends { readonly config: Config }>(
  merged: Config,
  sources: readonly Source[],
): (path: Path) => Origin<Source> {
  const places = once(() => {
    const found: Places<Origin<Source>> = new WeakMap();
    for (const source of sources) declarePlaces(found, source.config, (path) => ({ source, path }));
    return found;
  });
  return (path) => findPlace(merged, path, places()) ?? { source: sources[0]!, path };
}

/**
 * The place of a value of a merged config. The last original with the value sets it; a missing value belongs to the first
 * original that has an object around it.
 */
export function findPlace<Place>(merged: Config, path: Path, places: Places<Place>): Place | undefined {
  const originals = (made: object): readonly object[] =>
    places.has(made) ? [made] : partsOf(made).flatMap(originals);
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
  const holder = around[depth]!;
  const known = originals(holder);
  const steps = path.slice(depth);
  const [step, ...rest] = steps;
  const [oldest] = known;
  if (oldest === undefined) return undefined;
  if (step === undefined) return places.get(path.length === 0 ? oldest : known.at(-1)!)?.([]);
  for (const original of known.toReversed()) {
    // Merging moves the strings of a list.
    const found = Array.isArray(original) ? original.lastIndexOf(valueAt(holder, [step])) : step;
    if (valueAt(original, [found]) !== undefined) return places.get(original)?.([found, ...rest]);
  }
  return places.get(oldest)?.(steps);
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
