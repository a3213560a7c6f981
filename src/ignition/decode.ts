/**
 * Decodes a JSON document into a config like Go's encoding/json: keys match exactly or else regardless of case, repeated keys
 * are decoded into the same memory, and null is always valid. Go stops at the first value of an invalid type; here it is
 * skipped, so that all of them can be reported.
 */

import type { Path } from '../core/finding.ts';
import type { DocumentNode, ScalarNode } from '../formats/documentTree.ts';
import { isMapping } from '../formats/mapping.ts';
import type { Integer } from './config.ts';
import {
  type Field,
  fieldsByFoldedName,
  foldName,
  type ListField,
  structOf,
  type StructType,
} from './schema.ts';

/** A value that does not match the type of its field. */
export interface TypeMismatch {
  /** The message of encoding/json. */
  readonly message: string;
  /** Path of the value, including list indexes; Ignition reports the error at the root. */
  readonly path: Path;
  /** Number of bytes read up to the end of a scalar, or up to and including an opening bracket. */
  readonly offset: number;
  readonly kind: Field['kind'];
  /** The expected type as Go prints it, e.g. `int`. */
  readonly wanted: string;
  readonly found: DocumentNode;
}

/** A decoded object: strings, booleans, integers, arrays and objects by field name. */
export type Members = Readonly<Record<string, unknown>>;

/** The result of decoding: an object without its null members, and the values that do not match their type. */
interface Decoded {
  readonly value: Members;
  /** The first one is where Go stops. At most `MAX_MISMATCHES`. */
  readonly mismatches: readonly TypeMismatch[];
  /** Whether there are unknown or misspelled keys, or nulls in place of objects. */
  readonly hasOddities: boolean;
}

/** Further values of an invalid type are skipped without a note. */
export const MAX_MISMATCHES = 10_000;

/** Decodes into `type`, e.g. `configType('3.4.0')`. `null` is decoded to an empty object. */
export function decode(root: DocumentNode, type: StructType): Decoded {
  const decoder: Decoder = {
    root: type,
    path: [],
    storage: new WeakMap(),
    mismatches: [],
    hasOddities: false,
  };
  const value: Target = {};
  if (isNull(root)) decoder.hasOddities = true;
  else decodeStruct(decoder, type, root, value);
  return { value, mismatches: decoder.mismatches, hasOddities: decoder.hasOddities };
}

/** A decoded string, empty if it is absent. */
export function asString(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** The items of a decoded list, none if it is absent. */
export function itemsOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** An object that is being decoded. */
type Target = Record<string, unknown>;

interface Decoder {
  readonly root: StructType;
  /** Path to the value that is being decoded. */
  readonly path: (string | number)[];
  /** All elements that a list ever had; Go reuses their memory after a repeated key has shortened the list. */
  readonly storage: WeakMap<unknown[], unknown[]>;
  readonly mismatches: TypeMismatch[];
  hasOddities: boolean;
}

function decodeStruct(
  decoder: Decoder,
  type: StructType,
  node: DocumentNode,
  previous: unknown,
): Members | undefined {
  if (node.kind !== 'mapping') return noteMismatch(decoder, node, 'struct', type.goType);
  const target: Target = isMapping(previous) ? previous : {};
  for (const { key, value } of node.entries) {
    const field = findField(decoder, type, key.text);
    if (field === undefined) continue;
    decoder.path.push(field.name);
    if (!isNull(value)) target[field.name] = decodeField(decoder, field, value, target[field.name]);
    else if (field.pointer || field.kind === 'list') delete target[field.name];
    else if (field.kind === 'struct') decoder.hasOddities = true;
    decoder.path.pop();
  }
  return target;
}

function findField(decoder: Decoder, type: StructType, key: string): Field | undefined {
  const field = type.fields.find(({ name }) => name === key);
  if (field !== undefined) return field;
  decoder.hasOddities = true;
  return fieldsByFoldedName(type).get(foldName(key));
}

function decodeField(decoder: Decoder, field: Field, node: DocumentNode, previous: unknown): unknown {
  if (field.kind === 'struct') return decodeStruct(decoder, field.struct, node, previous);
  if (field.kind === 'list') return decodeList(decoder, field, node, previous);
  const value = node.kind === 'scalar' ? readScalar(node, field.kind) : undefined;
  return value ?? noteMismatch(decoder, node, field.kind, field.goType);
}

function decodeList(
  decoder: Decoder,
  field: ListField,
  node: DocumentNode,
  previous: unknown,
): readonly unknown[] | undefined {
  const { path, storage } = decoder;
  if (node.kind !== 'sequence') return noteMismatch(decoder, node, 'list', field.goType);
  const elements: unknown[] = Array.isArray(previous) ? (storage.get(previous) ?? previous) : [];
  const count = node.items.length;
  for (const [index, item] of node.items.entries()) {
    path.push(index);
    elements[index] = decodeElement(decoder, field.element, item, elements[index]);
    path.pop();
  }
  if (count === elements.length || count === 0) return count === 0 ? [] : elements;
  const list = elements.slice(0, count);
  storage.set(list, elements);
  return list;
}

function decodeElement(
  decoder: Decoder,
  element: StructType | string,
  node: DocumentNode,
  previous: unknown,
): unknown {
  if (typeof element === 'string') {
    if (isNull(node)) return previous ?? '';
    return isString(node) ? node.text : noteMismatch(decoder, node, 'string', `types.${element}`);
  }
  if (!isNull(node)) return decodeStruct(decoder, element, node, previous);
  decoder.hasOddities = true;
  return previous ?? {};
}

/** Undefined for a value of another type. */
function readScalar(
  node: ScalarNode,
  kind: 'string' | 'boolean' | 'integer',
): string | boolean | Integer | undefined {
  const { text } = node;
  if (isString(node)) return kind === 'string' ? text : undefined;
  if (kind === 'boolean' && (text === 'true' || text === 'false')) return text === 'true';
  return kind === 'integer' ? readInteger(text) : undefined;
}

/** A bigint only where a number would lose digits; undefined with a fraction or an exponent, or for more than 64 bits. */
function readInteger(text: string): Integer | undefined {
  if (!/^-?\d{1,19}$/.test(text)) return undefined;
  const value = Number(text);
  if (Number.isSafeInteger(value)) return value === 0 ? 0 : value;
  const exact = BigInt(text);
  return BigInt.asIntN(64, exact) === exact ? exact : undefined;
}

export function isString(node: DocumentNode): node is ScalarNode & { readonly style: 'double-quoted' } {
  return node.kind === 'scalar' && node.style === 'double-quoted';
}

function isNull(node: DocumentNode): boolean {
  return node.kind === 'scalar' && node.style === 'plain' && node.text === 'null';
}

/** Notes a value of an invalid type; the config is not used then. */
function noteMismatch(decoder: Decoder, found: DocumentNode, kind: Field['kind'], wanted: string): undefined {
  const { mismatches, root } = decoder;
  if (mismatches.length >= MAX_MISMATCHES) return;
  const path = [...decoder.path];
  const place = path.length === 0 ? 'Go value' : `Go struct field ${fieldInGo(root, path)}`;
  mismatches.push({
    message: `json: cannot unmarshal ${describe(found, kind)} into ${place} of type ${wanted}`,
    path,
    offset: found.kind === 'scalar' ? found.end : found.start + 1,
    kind,
    wanted,
    found,
  });
}

/** Go adds the number only if a number is expected. */
function describe(node: DocumentNode, wanted: Field['kind']): string {
  if (node.kind !== 'scalar') return node.kind === 'mapping' ? 'object' : 'array';
  if (isString(node)) return 'string';
  const { text } = node;
  if (!/^[-\d]/.test(text)) return 'bool';
  if (wanted !== 'integer') return 'number';
  return `number ${text.slice(0, LONGEST_QUOTE)}${text.length > LONGEST_QUOTE ? '…' : ''}`;
}

/** Maximum number of digits in messages; Go has no limit. */
const LONGEST_QUOTE = 1000;

/** The innermost struct, then the keys from the root, including embedded structs and without indexes. */
function fieldInGo(root: StructType, path: Path): string {
  const names: string[] = [];
  let holder = root;
  let type: StructType | undefined = root;
  for (const step of path) {
    const field: Field | undefined = type?.fields.find(({ name }) => name === step);
    if (type === undefined || field === undefined) continue; // an index
    holder = type;
    if (field.embedded !== undefined) names.push(field.embedded);
    names.push(field.name);
    type = structOf(field);
  }
  return [holder.name, ...names].join('.');
}
