/**
 * Decodes a document into a config as Go decodes it into a struct: repeated keys are decoded into the same memory, and null is
 * always valid. Go stops at the first value of an invalid type; here it is skipped, so that all of them can be reported.
 */

import type { Path } from '../core/finding.ts';
import {
  type DocumentNode,
  type MappingEntry,
  type MappingNode,
  type ScalarNode,
  targetOf,
  type ValueNode,
} from '../formats/documentTree.ts';
import { isMapping, type Mapping } from '../formats/mapping.ts';
import type { Integer } from './config.ts';
import type { Field, ListField, ScalarField, StructType } from './schema.ts';

/** What Go's decoders of JSON and YAML do differently. */
export interface Dialect {
  /** The entries that count, in their order; undefined if the object is refused. */
  readonly entriesOf: (node: MappingNode, path: Path) => readonly MappingEntry[] | undefined;
  /** The field that a key sets; undefined for a key that is ignored. */
  readonly findField: (type: StructType, key: string) => Field | undefined;
  readonly isNull: (node: ValueNode) => boolean;
  /** Undefined for a value of another type. */
  readonly readScalar: (
    node: ScalarNode,
    kind: ScalarField['kind'],
  ) => string | boolean | Integer | undefined;
  /** Null is an item without a value; otherwise the list goes without it. */
  readonly keepsNullItems: boolean;
  /** Notes a value of an invalid type; the config is not used then. */
  readonly refuse: (found: ValueNode, expected: ExpectedType, path: Path) => void;
}

export interface ExpectedType {
  readonly kind: Field['kind'];
  /** As Go prints it, e.g. `int`. */
  readonly goType: string;
}

/** Decodes into `type`, e.g. `configType('3.4.0')`; null is decoded to an empty object. */
export function decode(root: DocumentNode, type: StructType, dialect: Dialect): Mapping {
  const value: Target = {};
  const node = targetOf(root);
  if (!dialect.isNull(node)) decodeStruct({ dialect, path: [], storage: new WeakMap() }, type, node, value);
  return value;
}

/** A decoded string, empty if it is absent. */
export function asString(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

type Target = Record<string, unknown>;

interface Decoder {
  readonly dialect: Dialect;
  readonly path: (string | number)[];
  /** All elements that a list ever had; Go reuses their memory after a repeated key has shortened the list. */
  readonly storage: WeakMap<unknown[], unknown[]>;
}

function decodeStruct(
  decoder: Decoder,
  type: StructType,
  node: ValueNode,
  previous: unknown,
): Mapping | undefined {
  const { dialect, path } = decoder;
  if (node.kind !== 'mapping') {
    dialect.refuse(node, { kind: 'struct', goType: type.goType }, path);
    return undefined;
  }
  const entries = dialect.entriesOf(node, path);
  if (entries === undefined) return undefined;
  const target: Target = isMapping(previous) ? previous : {};
  for (const { key, value: given } of entries) {
    const field = dialect.findField(type, key.text);
    if (field === undefined) continue;
    const value = targetOf(given);
    path.push(field.name);
    if (!dialect.isNull(value)) {
      const before = target[field.name];
      target[field.name] =
        field.kind === 'struct'
          ? decodeStruct(decoder, field.struct, value, before)
          : field.kind === 'list'
            ? decodeList(decoder, field, value, before)
            : decodeScalar(decoder, field, value);
    } else if (field.pointer || field.kind === 'list') delete target[field.name];
    path.pop();
  }
  return target;
}

function decodeScalar(
  { dialect, path }: Decoder,
  expected: ExpectedType & { readonly kind: ScalarField['kind'] },
  node: ValueNode,
): unknown {
  const value = node.kind === 'scalar' ? dialect.readScalar(node, expected.kind) : undefined;
  if (value === undefined) dialect.refuse(node, expected, path);
  return value;
}

function decodeList(
  decoder: Decoder,
  field: ListField,
  node: ValueNode,
  previous: unknown,
): readonly unknown[] | undefined {
  const { dialect, path, storage } = decoder;
  const { element } = field;
  if (node.kind !== 'sequence') {
    dialect.refuse(node, field, path);
    return undefined;
  }
  const elements: unknown[] = Array.isArray(previous) ? (storage.get(previous) ?? previous) : [];
  let count = 0;
  for (const [index, item] of node.items.entries()) {
    const value = targetOf(item);
    const isNull = dialect.isNull(value);
    if (isNull && !dialect.keepsNullItems) continue;
    path.push(index);
    if (isNull) elements[count] ??= typeof element === 'string' ? '' : {};
    else if (typeof element === 'string')
      elements[count] = decodeScalar(decoder, { kind: 'string', goType: `types.${element}` }, value);
    else elements[count] = decodeStruct(decoder, element, value, elements[count]);
    path.pop();
    count += 1;
  }
  if (count === elements.length || count === 0) return count === 0 ? [] : elements;
  const list = elements.slice(0, count);
  storage.set(list, elements);
  return list;
}
