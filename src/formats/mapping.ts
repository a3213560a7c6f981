/** Mappings and lists, as JSON and YAML have them: a mapping is a value that is neither a list nor null, of keys to values. */

import type { Path } from '../core/finding.ts';

export type Mapping = Readonly<Record<string, unknown>>;

export function isMapping(value: unknown): value is Mapping {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** JSON over several lines, with a line feed at its end. */
export function jsonText(value: unknown): string {
  return `${JSON.stringify(value, undefined, 2)}\n`;
}

/** The value at a path in JSON or YAML; undefined if the path does not exist. */
export function valueAt(value: unknown, path: Path): unknown {
  return path.reduce<unknown>(
    (inner, step) =>
      typeof inner === 'object' && inner !== null && Object.hasOwn(inner, step)
        ? Reflect.get(inner, step)
        : undefined,
    value,
  );
}

/** The mapping at a path; empty if it does not exist. */
export function mappingAt(value: unknown, path: Path): Mapping {
  return asMapping(valueAt(value, path));
}

/** The value; empty if it is not a mapping. */
export function asMapping(value: unknown): Mapping {
  return isMapping(value) ? value : {};
}

/** The value; empty if it is not a list. */
export function asList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** The items of a list of mappings; none if the value is not a list. */
export function asMappings(value: unknown): readonly Mapping[] {
  return asList(value).map(asMapping);
}

/** The value; undefined if it is not a text. */
export function stringOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** The value of a JSON text; undefined for other texts. */
export function parseIfJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The mapping in a JSON text. `refuse` makes the error from a clause, such as `is not JSON`. */
export function parseJsonObject(text: string, refuse: (problem: string, cause?: unknown) => Error): Mapping {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw refuse('is not JSON', error);
  }
  if (isMapping(value)) return value;
  throw refuse('is not a JSON object');
}

export function withoutUndefined(values: Mapping): Mapping {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
}
