/**
 * Decodes JSON bytes into a config like Go's encoding/json: keys match exactly or else regardless of case, repeated keys
 * are decoded into the same memory, and null is always valid. Go stops at the first value of an invalid type; here it is
 * skipped, so that all of them can be reported. The bytes must be valid JSON (`formats/json/syntax.ts`). Unknown members are
 * skipped without being parsed.
 */

import type { Path } from '../core/finding.ts';
import {
  CLOSE_BRACE,
  CLOSE_BRACKET,
  OPEN_BRACE,
  OPEN_BRACKET,
  QUOTE,
  readInteger,
  readString,
  skipString,
  skipToToken,
  skipValue,
  skipWord,
} from '../formats/json/tokens.ts';
import { isMapping } from '../formats/mapping.ts';
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
  /** The JSON text of a scalar, truncated if it is very long; an opening bracket for a list or object. */
  readonly found: string;
}

/** A decoded object: strings, booleans, integers, arrays and objects by field name. */
export type Members = Readonly<Record<string, unknown>>;

/** The result of decoding: an object without its null members, and the values that do not match their type. */
interface Decoded {
  readonly value: Members;
  /** The value at which Go stops. */
  readonly mismatch: TypeMismatch | undefined;
  /** Those after it, at most `maxMismatches`. */
  readonly further: readonly TypeMismatch[];
  /** Decoding stopped because the document contains more objects and items than fit in memory. */
  readonly hasTooMany: boolean;
  /** Whether there are unknown or misspelled keys, or nulls in place of objects. */
  readonly hasOddities: boolean;
}

/** Objects and list items; real configs have some thousands, and each takes far more memory than its three bytes. */
export const MAX_DECODED_VALUES = 500_000;

/** Further values of an invalid type are skipped without a note. */
export const MAX_MISMATCHES = 10_000;

/** Decodes into `type`, e.g. `configType('3.4.0')`. `null` is decoded to an empty object. */
export function decode(bytes: Buffer, type: StructType): Decoded {
  const decoder: Decoder = {
    bytes,
    root: type,
    at: skipToToken(bytes, 0),
    path: [],
    storage: new WeakMap(),
    mismatches: [],
    hasOddities: false,
    values: 0,
  };
  const value: Target = {};
  let hasTooMany = false;
  try {
    if (bytes[decoder.at] === LETTER_N) decoder.hasOddities = true;
    else decodeStruct(decoder, type, value);
  } catch (error) {
    if (!(error instanceof TooManyValues)) throw error;
    hasTooMany = true;
  }
  const [mismatch, ...further] = decoder.mismatches;
  return { value, mismatch, further, hasTooMany, hasOddities: decoder.hasOddities };
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
  readonly bytes: Buffer;
  readonly root: StructType;
  at: number;
  /** Path to the value that is being decoded. */
  readonly path: (string | number)[];
  /** All elements that a list ever had; Go reuses their memory after a repeated key has shortened the list. */
  readonly storage: WeakMap<unknown[], unknown[]>;
  readonly mismatches: TypeMismatch[];
  hasOddities: boolean;
  values: number;
}

/** Stops decoding; caught in this module. */
class TooManyValues extends Error {}

const LETTER_N = 0x6e;
const LETTER_T = 0x74;
const LETTER_F = 0x66;
const MINUS = 0x2d;

function decodeStruct(decoder: Decoder, type: StructType, previous: unknown): Members | undefined {
  const { bytes, path } = decoder;
  if (bytes[decoder.at] !== OPEN_BRACE) return skipMismatch(decoder, 'struct', type.goType);
  const target: Target = isMapping(previous) && previous !== noMembers ? previous : {};
  countValue(decoder);
  decoder.at = skipToToken(bytes, decoder.at + 1);
  while (bytes[decoder.at] !== CLOSE_BRACE) {
    const keyEnd = skipString(bytes, decoder.at);
    const field = findField(decoder, type, keyEnd);
    decoder.at = skipToToken(bytes, keyEnd);
    if (field === undefined) {
      decoder.at = skipValue(bytes, decoder.at);
    } else {
      path.push(field.name);
      decodeField(decoder, field, target);
      path.pop();
    }
    decoder.at = skipToToken(bytes, decoder.at);
  }
  decoder.at += 1;
  return Object.keys(target).length === 0 ? noMembers : target;
}

function findField(decoder: Decoder, type: StructType, keyEnd: number): Field | undefined {
  const { bytes, at } = decoder;
  const length = keyEnd - at - 2;
  for (const field of type.fields) {
    if (field.name.length !== length) continue;
    let same = 0;
    while (same < length && bytes[at + 1 + same] === field.name.charCodeAt(same)) same += 1;
    if (same === length) return field;
  }
  decoder.hasOddities = true;
  if (keyEnd - at > LONGEST_KEY) return undefined;
  return fieldsByFoldedName(type).get(foldName(readString(bytes, at, keyEnd)));
}

/** Bytes. No field has a longer name, even with all letters escaped; a key may have any length. */
const LONGEST_KEY = 240;

function decodeField(decoder: Decoder, field: Field, target: Target): void {
  const byte = decoder.bytes[decoder.at];
  if (byte === LETTER_N) return decodeNull(decoder, field, target);
  switch (field.kind) {
    case 'string':
      target[field.name] = decodeString(decoder, field.goType);
      break;
    case 'boolean':
      if (byte !== LETTER_T && byte !== LETTER_F) return skipMismatch(decoder, 'boolean', field.goType);
      target[field.name] = byte === LETTER_T;
      decoder.at += byte === LETTER_T ? 4 : 5;
      break;
    case 'integer':
      target[field.name] = decodeInteger(decoder, field.goType);
      break;
    case 'struct':
      target[field.name] = decodeStruct(decoder, field.struct, target[field.name]);
      break;
    case 'list':
      target[field.name] = decodeList(decoder, field, target[field.name]);
      break;
  }
}

function decodeNull(decoder: Decoder, field: Field, target: Target): void {
  decoder.at += 4;
  if (field.kind === 'struct') decoder.hasOddities = true;
  if (field.pointer || field.kind === 'list') delete target[field.name];
}

function decodeString(decoder: Decoder, wanted: string): string | undefined {
  const { bytes, at } = decoder;
  if (bytes[at] !== QUOTE) return skipMismatch(decoder, 'string', wanted);
  decoder.at = skipString(bytes, at);
  return readString(bytes, at, decoder.at);
}

function decodeInteger(decoder: Decoder, wanted: string): number | bigint | undefined {
  const { bytes, at } = decoder;
  // This is not the end of a string, list or object, but `readInteger` refuses these by their first byte.
  const end = skipWord(bytes, at);
  const value = readInteger(bytes, at, end);
  if (value === undefined) return skipMismatch(decoder, 'integer', wanted);
  decoder.at = end;
  return value;
}

function decodeList(decoder: Decoder, field: ListField, previous: unknown): readonly unknown[] | undefined {
  const { bytes, path, storage } = decoder;
  if (bytes[decoder.at] !== OPEN_BRACKET) return skipMismatch(decoder, 'list', field.goType);
  const elements: unknown[] = Array.isArray(previous) ? (storage.get(previous) ?? previous) : [];
  let count = 0;
  decoder.at = skipToToken(bytes, decoder.at + 1);
  while (bytes[decoder.at] !== CLOSE_BRACKET) {
    path.push(count);
    elements[count] = decodeElement(decoder, field.element, elements[count]);
    path.pop();
    count += 1;
    decoder.at = skipToToken(bytes, decoder.at);
  }
  decoder.at += 1;
  if (count === elements.length || count === 0) return count === 0 ? [] : elements;
  const list = elements.slice(0, count);
  storage.set(list, elements);
  return list;
}

function decodeElement(decoder: Decoder, element: StructType | string, previous: unknown): unknown {
  countValue(decoder);
  const isNull = decoder.bytes[decoder.at] === LETTER_N;
  if (isNull) decoder.at += 4;
  if (typeof element === 'string')
    return isNull ? (previous ?? '') : decodeString(decoder, `types.${element}`);
  if (!isNull) return decodeStruct(decoder, element, previous);
  decoder.hasOddities = true;
  return previous ?? noMembers;
}

/** The shared empty object, because a hostile list may contain more empty objects than fit in memory. */
const noMembers: Members = Object.freeze({});

function countValue(decoder: Decoder): void {
  decoder.values += 1;
  if (decoder.values > MAX_DECODED_VALUES) throw new TooManyValues();
}

function startsNumber(byte: number | undefined): boolean {
  return byte !== undefined && (byte === MINUS || (byte >= 0x30 && byte <= 0x39));
}

/** Notes a value of an invalid type and moves behind it. The config is not used then. */
function skipMismatch(decoder: Decoder, kind: Field['kind'], wanted: string): undefined {
  const { bytes, at, mismatches } = decoder;
  if (mismatches.length <= MAX_MISMATCHES) mismatches.push(describe(decoder, kind, wanted));
  decoder.at = skipValue(bytes, at);
}

function describe(decoder: Decoder, kind: Field['kind'], wanted: string): TypeMismatch {
  const { bytes, at, root } = decoder;
  const path = [...decoder.path];
  const first = bytes[at];
  const isBracket = first === OPEN_BRACE || first === OPEN_BRACKET;
  const end = isBracket ? at + 1 : skipValue(bytes, at);
  const found =
    bytes.toString('latin1', at, Math.min(end, at + LONGEST_QUOTE)) + (end - at > LONGEST_QUOTE ? '…' : '');
  const what = valueKind(first, kind === 'integer' ? found : undefined);
  const place = path.length === 0 ? 'Go value' : `Go struct field ${fieldInGo(root, path)}`;
  return {
    message: `json: cannot unmarshal ${what} into ${place} of type ${wanted}`,
    path,
    offset: end,
    kind,
    wanted,
    found,
  };
}

/** Maximum number of bytes of a scalar in messages; Go has no limit. */
const LONGEST_QUOTE = 1000;

/** Go adds the number only if a number is expected. */
function valueKind(first: number | undefined, wantedNumber: string | undefined): string {
  if (first === OPEN_BRACE) return 'object';
  if (first === OPEN_BRACKET) return 'array';
  if (first === QUOTE) return 'string';
  if (!startsNumber(first)) return 'bool';
  return wantedNumber === undefined ? 'number' : `number ${wantedNumber}`;
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
