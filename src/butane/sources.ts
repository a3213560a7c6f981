/** Where in the YAML the values of a config are from: its objects and lists have places there. */

import type { Path } from '../core/finding.ts';
import type { Config } from '../ignition/config.ts';
import { declarePlaces, findPlace } from '../ignition/origins.ts';
import { snakeCase } from './schema.ts';

const sources = new WeakMap<object, (steps: Path) => Path>();

/**
 * Declares that an object or list is the one at `from` in the YAML.
 * @param others the places of values that have another place there
 */
export function copiedFrom<T extends object>(
  copy: T,
  from: Path,
  others: Readonly<Record<string, Path>> = {},
): T {
  declarePlaces(sources, copy, (steps) => placeAmong(others, steps) ?? [...from, ...snakePath(steps)]);
  return copy;
}

/** Declares that an object or list, and everything in it without a place, is made for the value at `from` in the YAML. */
export function madeFor<T extends object>(
  made: T,
  from: Path,
  others: Readonly<Record<string, Path>> = {},
): T {
  declarePlaces(sources, made, (steps) => placeAmong(others, steps) ?? from);
  return made;
}

/** The object with other values, which are made for the value at `from` in the YAML. */
export function withMade<T extends object>(object: T, values: Partial<T>, from: Path): T {
  const changed = { ...object, ...values };
  const placeOf = sources.get(object) ?? (() => from);
  declarePlaces(sources, changed, (steps) => (Object.hasOwn(values, steps[0] ?? '') ? from : placeOf(steps)));
  return changed;
}

function placeAmong(others: Readonly<Record<string, Path>>, [step, ...more]: Path): Path | undefined {
  return step === undefined || more.length > 0 || !Object.hasOwn(others, step) ? undefined : others[step];
}

export function pathInYaml(config: Config, path: Path): Path {
  return findPlace(config, path, sources) ?? snakePath(path);
}

/** `sizeMiB` is `size_mib` in the YAML; all paths without another source have the same steps. */
export function snakePath(path: Path): Path {
  return path.map((step) => (typeof step === 'string' ? snakeCase(step) : step));
}
