/** The order in which Ignition visits a config. */

import { isMapping } from '../formats/mapping.ts';
import type { StructType } from './schema.ts';

/** An object of a config, or a string in a list with a named Go type, such as `Device`. */
interface Visited {
  readonly type: StructType | string;
  readonly value: unknown;
  /** Only valid until the next value is requested. */
  readonly path: readonly (string | number)[];
}

/** Yields a value of a config and all values in it that rules apply to, depth first. Absent objects are skipped. */
export function* walkConfig(
  type: StructType | string,
  value: unknown,
  path: (string | number)[] = [],
): Generator<Visited, void> {
  if (typeof type === 'string') yield { type, value, path };
  if (typeof type === 'string' || !isMapping(value)) return;
  yield { type, value, path };
  for (const field of type.fields) {
    const member = value[field.name];
    path.push(field.name);
    if (field.kind === 'struct') yield* walkConfig(field.struct, member, path);
    if (field.kind === 'list' && Array.isArray(member)) {
      for (const [index, item] of member.entries()) {
        path.push(index);
        yield* walkConfig(field.element, item, path);
        path.pop();
      }
    }
    path.pop();
  }
}
