/** What requests bring, in their queries and their bodies, and what is wrong with it in Ironic's words. */

import { isWithinBounds } from '../../formats/json/bounds.ts';

/** Undefined where all names are expected ones. */
export function unexpectedArguments(
  names: Iterable<string>,
  expected: readonly string[],
): string | undefined {
  const unexpected = [...names].filter((name) => !expected.includes(name));
  if (unexpected.length === 0) return undefined;
  return `Unexpected arguments: ${unexpected.join(', ').slice(0, MAX_SHOWN)}`;
}

/** Characters. */
const MAX_SHOWN = 200;

/** A value of JSON that has names. */
export type JsonObject = Readonly<Record<string, unknown>>;

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Agents of large machines send some ten thousand. */
const bodyBounds = { depth: 64, values: 500_000 };

export type ParsedBody =
  | { readonly kind: 'value'; readonly value: unknown }
  /** `problem` is a clause. */
  | { readonly kind: 'none'; readonly problem: string };

/** The JSON of a body; none at all counts as an object without anything. */
export function parseBody(bytes: Uint8Array): ParsedBody {
  if (bytes.length === 0) return { kind: 'value', value: {} };
  if (!isWithinBounds(bytes, bodyBounds)) {
    return { kind: 'none', problem: 'its body has too many or too deep values' };
  }
  try {
    const value: unknown = JSON.parse(new TextDecoder().decode(bytes));
    return { kind: 'value', value };
  } catch {
    return { kind: 'none', problem: 'its body is no JSON' };
  }
}
