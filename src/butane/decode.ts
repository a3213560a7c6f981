/**
 * Decodes a YAML document into the objects of a Butane version, as yaml.v3 does: a null item leaves a list, null leaves an
 * object as it is, aliases and merge keys are followed, and the values of unknown keys are not read at all.
 */

import {
  type DocumentNode,
  type MappingNode,
  type ScalarNode,
  targetOf,
  type ValueNode,
} from '../formats/documentTree.ts';
import { type ButaneIssue, butaneIssue, butaneRules, duplicateKey, problems } from './rules.ts';
import type { ButaneField, ButaneStruct } from './schema.ts';
import type { Integer } from '../ignition/config.ts';

/** A decoded object: its fields by Butane's names. */
export type ButaneMembers = Record<string, unknown>;

interface Decoded {
  readonly value: ButaneMembers;
  /** Errors; each has its offset in the text. */
  readonly issues: readonly ButaneIssue[];
}

export function decodeButane(root: DocumentNode | undefined, type: ButaneStruct): Decoded {
  const decoder: Decoder = { issues: [], path: [] };
  const value: ButaneMembers = {};
  if (root !== undefined) decodeStruct(decoder, type, root, value);
  return { value, issues: decoder.issues };
}

/** Where a node starts for yaml.v3: at its anchor or tag. */
export function offsetOf(node: DocumentNode): number {
  return node.kind === 'alias' ? node.start : (node.propertiesStart ?? node.start);
}

interface Decoder {
  readonly issues: ButaneIssue[];
  /** Path to the value that is being decoded. */
  readonly path: (string | number)[];
}

/** Returns whether the object has been set. */
function decodeStruct(
  decoder: Decoder,
  type: ButaneStruct,
  given: DocumentNode,
  target: ButaneMembers,
): boolean {
  const node = targetOf(given);
  if (isNull(node)) return false;
  if (node.kind !== 'mapping') return reportType(decoder, node, 'an object');
  if (!checkKeys(decoder, node)) return false;
  decodeEntries(decoder, type, node, target, undefined);
  return true;
}

/** @param done the keys that are set already, if the entries are merged into an object */
function decodeEntries(
  decoder: Decoder,
  type: ButaneStruct,
  node: MappingNode,
  target: ButaneMembers,
  done: Set<string> | undefined,
): void {
  let merged: DocumentNode | undefined;
  for (const { key, value } of node.entries) {
    if (isMergeKey(key)) {
      merged = value;
      continue;
    }
    const name = key.text;
    if (isNull(key) || done?.has(name)) continue;
    done?.add(name);
    const field = type.fields.get(name);
    if (field === undefined) continue;
    decoder.path.push(name);
    decodeField(decoder, field, value, target, name);
    decoder.path.pop();
  }
  if (merged === undefined) return;
  const known = done ?? new Set(node.entries.map(({ key }) => key.text));
  for (const source of merged.kind === 'sequence' ? merged.items : [merged]) {
    const mapping = targetOf(source);
    if (mapping.kind !== 'mapping') {
      const issue = butaneIssue(problems.mergeKey, [...decoder.path]);
      decoder.issues.push({ ...issue, offset: offsetOf(source) });
    } else if (checkKeys(decoder, mapping)) decodeEntries(decoder, type, mapping, target, known);
  }
}

function decodeField(
  decoder: Decoder,
  field: ButaneField,
  given: DocumentNode,
  target: ButaneMembers,
  name: string,
): void {
  const node = targetOf(given);
  if (field.isList) {
    if (isNull(node)) delete target[name];
    else if (node.kind !== 'sequence') reportType(decoder, node, 'a list');
    else target[name] = decodeItems(decoder, field, node.items);
  } else if (field.struct !== undefined) {
    const value = isMembers(target[name]) ? target[name] : {};
    const isSet = decodeStruct(decoder, field.struct, node, value);
    if (isSet) target[name] = value;
    else if (field.isPointer) delete target[name];
  } else {
    const value = decodeScalar(decoder, field.kind, node);
    if (value !== undefined) target[name] = value;
    else if (field.isPointer) delete target[name];
  }
}

function decodeItems(decoder: Decoder, field: ButaneField, nodes: readonly DocumentNode[]): unknown[] {
  const items: unknown[] = [];
  for (const [index, given] of nodes.entries()) {
    decoder.path.push(index);
    if (field.struct === undefined) {
      const value = decodeScalar(decoder, field.kind, targetOf(given));
      if (value !== undefined) items.push(value);
    } else {
      const item: ButaneMembers = {};
      if (decodeStruct(decoder, field.struct, given, item)) items.push(item);
    }
    decoder.path.pop();
  }
  return items;
}

/** Undefined for null, and for a value of another type, which is reported. */
function decodeScalar(decoder: Decoder, kind: ButaneField['kind'], node: ValueNode): unknown {
  if (kind === 'struct' || isNull(node)) return undefined;
  const value = node.kind === 'scalar' ? readScalar(node, kind) : undefined;
  if (value === undefined) reportType(decoder, node, kindNames[kind]);
  return value;
}

const kindNames = { string: 'a string', integer: 'an integer', boolean: 'true or false' } as const;

/** A key that occurs twice is an error. */
function checkKeys(decoder: Decoder, { entries }: MappingNode): boolean {
  const seen = new Set<string>();
  for (const { key } of entries) {
    if (seen.has(key.text)) {
      const issue = butaneIssue(duplicateKey(key.text), [...decoder.path, key.text]);
      decoder.issues.push({ ...issue, offset: offsetOf(key) });
    }
    seen.add(key.text);
  }
  return seen.size === entries.length;
}

function isMergeKey({ style, tag, text }: ScalarNode): boolean {
  return text === '<<' && style === 'plain' && (tag === undefined || tag === '!' || tag === '!!merge');
}

function isMembers(value: unknown): value is ButaneMembers {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isNull(node: ValueNode): boolean {
  return node.kind === 'scalar' && resolve(node).value === null;
}

function reportType(decoder: Decoder, node: ValueNode, wanted: string): false {
  const place = decoder.path.length === 0 ? 'the document' : decoder.path.join('.');
  decoder.issues.push({
    rule: butaneRules.type,
    path: [...decoder.path],
    message: `cannot unmarshal ${nodeTag(node)} into ${wanted}`,
    hint: `set ${place} to ${wanted}`,
    offset: offsetOf(node),
  });
  return false;
}

/** The tag that yaml.v3 names in messages, e.g. `!!str`. */
function nodeTag(node: ValueNode): string {
  if (node.kind === 'scalar') return resolve(node).tag;
  return node.kind === 'sequence' ? '!!seq' : '!!map';
}

// Scalars with the type of their field, as yaml.v3 reads them: a mix of YAML 1.1 and 1.2, in which `0644` is octal and `yes`
// is true where a boolean is expected. Source: its `resolve.go` and `decode.go`.

type Resolved = { readonly tag: string; readonly value: null | boolean | Integer | string };

/** The value; undefined if it has another type. */
function readScalar(
  node: ScalarNode,
  kind: 'string' | 'integer' | 'boolean',
): string | Integer | boolean | undefined {
  const { tag, value } = resolve(node);
  if (kind === 'string') return tag === '!!binary' ? undefined : node.text;
  if (kind === 'integer') {
    if (typeof value === 'bigint') return value > MAX_INTEGER ? undefined : value;
    if (typeof value !== 'number' || !(Math.abs(value) < 2 ** 63)) return undefined;
    // Numbers with a fraction lose it.
    const whole = Math.trunc(value) + 0;
    return Number.isSafeInteger(whole) ? whole : BigInt(whole);
  }
  if (typeof value === 'boolean') return value;
  if (typeof value !== 'string') return undefined;
  if (/^(?:y|Y|yes|Yes|YES|on|On|ON)$/.test(value)) return true;
  return /^(?:n|N|no|No|NO|off|Off|OFF)$/.test(value) ? false : undefined;
}

const MAX_INTEGER = 2n ** 63n - 1n;
const MIN_INTEGER = -(2n ** 63n);

function resolve({ style, tag = '!', text }: ScalarNode): Resolved {
  if (tag === '!' ? style === 'plain' : resolvable.has(tag)) return resolvePlain(text);
  return { tag: tag === '!' ? '!!str' : tag, value: text };
}

const resolvable = new Set(['!!bool', '!!int', '!!float', '!!null', '!!timestamp']);

function resolvePlain(text: string): Resolved {
  if (/^(?:true|True|TRUE)$/.test(text)) return { tag: '!!bool', value: true };
  if (/^(?:false|False|FALSE)$/.test(text)) return { tag: '!!bool', value: false };
  if (/^(?:|~|null|Null|NULL)$/.test(text)) return { tag: '!!null', value: null };
  if (text === '<<') return { tag: '!!merge', value: text };
  if (/^(?:[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))$/.test(text)) return { tag: '!!float', value: Infinity };
  if (!/^[-+.0-9]/.test(text)) return { tag: '!!str', value: text };
  const plain = text.startsWith('.') ? text : text.replaceAll('_', '');
  const integer = parseInteger(plain);
  if (integer !== undefined) return { tag: '!!int', value: integer };
  const isFloat = /^[-+]?(?:\.\d+|\d+(?:\.\d*)?)(?:[eE][-+]?\d+)?$/.test(plain);
  return isFloat && Number.isFinite(Number(plain))
    ? { tag: '!!float', value: Number(plain) }
    : { tag: '!!str', value: text };
}

/** Go's ParseInt with base 0, then ParseUint: a leading 0 is octal. */
function parseInteger(text: string): Integer | undefined {
  const [, sign = '', digits = ''] =
    /^([-+]?)(0[xX][0-9a-fA-F]+|0[bB][01]+|0[oO][0-7]+|0[0-7]*|[1-9][0-9]*)$/.exec(text) ?? [];
  if (digits === '') return undefined;
  const size = BigInt(/^0[0-7]/.test(digits) ? `0o${digits.slice(1)}` : digits);
  const value = sign === '-' ? -size : size;
  if (value < MIN_INTEGER || value >= 2n ** 64n || (sign === '+' && value > MAX_INTEGER)) return undefined;
  return Number.isSafeInteger(Number(value)) ? Number(value) : value;
}
