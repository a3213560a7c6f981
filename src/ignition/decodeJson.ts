/**
 * Decodes a JSON document like Go's encoding/json: keys match exactly or else regardless of case. Values of an invalid type have
 * the messages and offsets of Go.
 */

import { MAX_FINDINGS, type Path } from '../core/finding.ts';
import type { Mapping } from '../formats/mapping.ts';
import type { DocumentNode, ScalarNode } from '../formats/documentTree.ts';
import type { Integer } from './config.ts';
import { decode, type ExpectedType } from './decode.ts';
import { type Field, foldedField, type ScalarField, structOf, type StructType } from './schema.ts';

export interface TypeMismatch {
  /** The message of encoding/json. */
  readonly message: string;
  /** Path of the value, including list indexes; Ignition reports the error at the root. */
  readonly path: Path;
  /** Number of bytes read up to the end of a scalar, or up to and including an opening bracket. */
  readonly offset: number;
  readonly expected: ExpectedType;
  readonly found: DocumentNode;
}

/** The result of decoding: an object without its null members, and the values that do not match their type. */
interface Decoded {
  readonly value: Mapping;
  /** The first one is where Go stops. At most `MAX_FINDINGS`. */
  readonly mismatches: readonly TypeMismatch[];
}

export function decodeJson(root: DocumentNode, type: StructType): Decoded {
  const mismatches: TypeMismatch[] = [];
  const value = decode(root, type, {
    entriesOf: ({ entries }) => entries,
    findField: (struct, key) => struct.fields.find(({ name }) => name === key) ?? foldedField(struct, key),
    isNull: (node) => node.kind === 'scalar' && node.style === 'plain' && node.text === 'null',
    readScalar,
    keepsNullItems: true,
    refuse: (found, expected, path) => {
      if (mismatches.length < MAX_FINDINGS) mismatches.push(mismatchOf(type, found, expected, [...path]));
    },
  });
  return { value, mismatches };
}

/** Undefined for a value of another type. */
function readScalar(node: ScalarNode, kind: ScalarField['kind']): string | boolean | Integer | undefined {
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

function mismatchOf(root: StructType, found: DocumentNode, expected: ExpectedType, path: Path): TypeMismatch {
  const place = path.length === 0 ? 'Go value' : `Go struct field ${fieldInGo(root, path)}`;
  return {
    message: `json: cannot unmarshal ${describe(found, expected.kind)} into ${place} of type ${expected.goType}`,
    path,
    offset: found.kind === 'scalar' ? found.end : found.start + 1,
    expected,
    found,
  };
}

/** Go adds the number only if a number is expected. */
function describe(node: DocumentNode, wanted: Field['kind']): string {
  if (node.kind !== 'scalar') return node.kind === 'mapping' ? 'object' : 'array';
  if (isString(node)) return 'string';
  const { text } = node;
  if (!/^[-\d]/.test(text)) return 'bool';
  return wanted === 'integer' ? `number ${text}` : 'number';
}

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
