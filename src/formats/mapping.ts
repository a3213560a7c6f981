/** Mappings of keys to values, as JSON and YAML have them: values that are neither a list nor null. */

export type Mapping = Readonly<Record<string, unknown>>;

export function isMapping(value: unknown): value is Mapping {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** JSON over several lines, with a line feed at its end. */
export function jsonText(value: unknown): string {
  return `${JSON.stringify(value, undefined, 2)}\n`;
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
