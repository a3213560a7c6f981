/** The order in which Ignition visits a config: an object first, then its members as they are declared. */

import { isMapping } from '../formats/mapping.ts';
import type { Config } from './config.ts';
import type { Members } from './decode.ts';
import type { StructType } from './schema.ts';

/** An object of a config, or a string in a list whose Go type has a name, such as `Device`. */
export interface Visited {
  readonly type: StructType | string;
  readonly value: unknown;
  /** Only valid during the visit. */
  readonly path: readonly (string | number)[];
}

/** Visits everything in `config` that a rule may be about, depth first. Absent objects have nothing to say. */
export function walkConfig(config: Config, type: StructType, visit: (visited: Visited) => void): void {
  if (isMapping(config)) walkStruct({ path: [], visit }, type, config);
}

interface Walk {
  readonly path: (string | number)[];
  readonly visit: (visited: Visited) => void;
}

function walkStruct(walk: Walk, type: StructType, value: Members): void {
  walk.visit({ type, value, path: walk.path });
  for (const field of type.fields) {
    const member = value[field.name];
    if (member === undefined || (field.kind !== 'struct' && field.kind !== 'list')) continue;
    walk.path.push(field.name);
    if (field.kind === 'struct' && isMapping(member)) walkStruct(walk, field.struct, member);
    if (field.kind === 'list' && Array.isArray(member)) walkList(walk, field.element, member);
    walk.path.pop();
  }
}

function walkList(walk: Walk, element: StructType | string, items: readonly unknown[]): void {
  const { path } = walk;
  for (const [index, value] of items.entries()) {
    path.push(index);
    if (typeof element === 'string') walk.visit({ type: element, value, path });
    else if (isMapping(value)) walkStruct(walk, element, value);
    path.pop();
  }
}
