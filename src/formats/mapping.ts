/** Mappings of keys to values, as JSON and YAML have them: what is neither a list nor null. */

export type Mapping = Readonly<Record<string, unknown>>;

export function isMapping(value: unknown): value is Mapping {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
