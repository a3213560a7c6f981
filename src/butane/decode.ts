/**
 * Decodes a YAML document into the objects of a Butane version, as yaml.v3 does: a null item leaves a list, null leaves an
 * object as it is, aliases and merge keys are followed, and the values of unknown keys are not read at all.
 */

import { type MappingNode, textOfKey, type YamlNode, type YamlScalar } from './document.ts';
import {
  type ButaneIssue,
  type ButaneProblem,
  butaneIssue,
  butaneRules,
  duplicateKey,
  problems,
} from './rules.ts';
import type { ButaneField, ButaneStruct } from './schema.ts';
import type { Integer } from '../ignition/config.ts';

/** A decoded object: its fields by Butane's names. */
export type ButaneMembers = Record<string, unknown>;

interface Decoded {
  readonly value: ButaneMembers;
  /** Errors; each has its offset in the text. */
  readonly issues: readonly ButaneIssue[];
}

export function decodeButane(root: YamlNode | undefined, type: ButaneStruct): Decoded {
  const decoder: Decoder = { issues: [], path: [], open: new Set(), count: 0, aliased: 0 };
  const value: ButaneMembers = {};
  try {
    if (root !== undefined) decodeStruct(decoder, type, root, value);
  } catch (error) {
    if (!(error instanceof Stop)) throw error;
    decoder.issues.push(error.issue);
  }
  return { value, issues: decoder.issues };
}

interface Decoder {
  readonly issues: ButaneIssue[];
  /** Path to the value that is being decoded. */
  readonly path: (string | number)[];
  /** The aliases that are being followed. */
  readonly open: Set<YamlNode>;
  /** Values read, and those of them that aliases refer to. */
  count: number;
  aliased: number;
}

/** Ends decoding; caught in this module. */
class Stop extends Error {
  readonly issue: ButaneIssue;

  constructor(issue: ButaneIssue) {
    super();
    this.issue = issue;
  }
}

/** Returns whether the object has been set. */
function decodeStruct(decoder: Decoder, type: ButaneStruct, given: YamlNode, target: ButaneMembers): boolean {
  return follow(decoder, given, (node) => {
    if (node.kind === 'scalar' && isNullNode(decoder, node)) return false;
    if (node.kind !== 'mapping') return reportType(decoder, node, 'an object');
    if (!checkKeys(decoder, node)) return false;
    decodeEntries(decoder, type, node, target, undefined);
    return true;
  });
}

/** @param done the keys that are set already, if the entries are merged into an object */
function decodeEntries(
  decoder: Decoder,
  type: ButaneStruct,
  node: MappingNode,
  target: ButaneMembers,
  done: Set<string> | undefined,
): void {
  let merged: YamlNode | undefined;
  for (const [key, value] of node.entries) {
    if (isMergeKey(key)) {
      merged = value;
      continue;
    }
    const name = readKey(decoder, key);
    if (name === undefined || done?.has(name)) continue;
    done?.add(name);
    const field = type.fields.get(name);
    if (field === undefined) continue;
    decoder.path.push(name);
    decodeField(decoder, field, value, target, name);
    decoder.path.pop();
  }
  if (merged === undefined) return;
  const known = done ?? new Set(node.entries.map(([key]) => textOfKey(key)));
  for (const source of merged.kind === 'sequence' ? merged.items : [merged]) {
    follow(decoder, source, (mapping) => {
      if (mapping.kind !== 'mapping') stop(decoder, problems.mergeKey, source);
      if (checkKeys(decoder, mapping)) decodeEntries(decoder, type, mapping, target, known);
      return true;
    });
  }
}

function decodeField(
  decoder: Decoder,
  field: ButaneField,
  given: YamlNode,
  target: ButaneMembers,
  name: string,
): void {
  if (field.isList) {
    follow(decoder, given, (node) => {
      if (node.kind === 'scalar' && isNullNode(decoder, node)) {
        delete target[name];
        return true;
      }
      if (node.kind !== 'sequence') return reportType(decoder, node, 'a list');
      target[name] = decodeItems(decoder, field, node.items);
      return true;
    });
  } else if (field.struct !== undefined) {
    const value = isMembers(target[name]) ? target[name] : {};
    const isSet = decodeStruct(decoder, field.struct, given, value);
    if (isSet) target[name] = value;
    else if (field.isPointer) delete target[name];
  } else {
    const { kind } = field;
    follow(decoder, given, (node) => {
      const value = decodeScalar(decoder, kind, node);
      if (value !== undefined) target[name] = value;
      else if (field.isPointer) delete target[name];
      return value !== undefined;
    });
  }
}

function decodeItems(decoder: Decoder, field: ButaneField, nodes: readonly YamlNode[]): unknown[] {
  const items: unknown[] = [];
  for (const [index, given] of nodes.entries()) {
    decoder.path.push(index);
    if (field.struct === undefined) {
      follow(decoder, given, (node) => {
        const value = decodeScalar(decoder, field.kind, node);
        if (value !== undefined) items.push(value);
        return value !== undefined;
      });
    } else {
      const item: ButaneMembers = {};
      if (decodeStruct(decoder, field.struct, given, item)) items.push(item);
    }
    decoder.path.pop();
  }
  return items;
}

/** Undefined for null, and for a value of another type, which is reported. */
function decodeScalar(decoder: Decoder, kind: ButaneField['kind'], node: YamlNode): unknown {
  if (kind === 'struct') return undefined;
  if (node.kind === 'scalar') {
    if (isNullNode(decoder, node)) return undefined;
    const value = readScalar(node, kind);
    if (value !== undefined) return value;
  }
  reportType(decoder, node, kindNames[kind]);
  return undefined;
}

const kindNames = { string: 'a string', integer: 'an integer', boolean: 'true or false' } as const;

/** Undefined for null, and for a key that is no scalar, which is reported. */
function readKey(decoder: Decoder, given: YamlNode): string | undefined {
  let name: string | undefined;
  follow(decoder, given, (node) => {
    const value = decodeScalar(decoder, 'string', node);
    if (typeof value === 'string') name = value;
    return true;
  });
  return name;
}

/** A key that occurs twice is an error. */
function checkKeys(decoder: Decoder, { entries }: MappingNode): boolean {
  const seen = new Set<string>();
  let isUnique = true;
  for (const [key] of entries) {
    const id = `${key.kind} ${textOfKey(key)}`;
    if (seen.has(id)) {
      isUnique = false;
      const path = [...decoder.path, textOfKey(key)];
      decoder.issues.push({ ...butaneIssue(duplicateKey(textOfKey(key)), path), offset: key.start });
    }
    seen.add(id);
  }
  return isUnique;
}

function isMergeKey(key: YamlNode): boolean {
  return (
    key.kind === 'scalar' && key.value === '<<' && key.isPlain && (key.tag === '' || key.tag === '!!merge')
  );
}

function isMembers(value: unknown): value is ButaneMembers {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Reads a node, or the target of an alias. yaml.v3 stops when most values come from aliases. */
function follow(decoder: Decoder, node: YamlNode, read: (node: YamlNode) => boolean): boolean {
  decoder.count += 1;
  if (decoder.open.size > 0) decoder.aliased += 1;
  const { aliased, count } = decoder;
  const isExcessive = aliased > 100 && count > 1000 && aliased / count > allowedAliasRatio(count);
  if (isExcessive || decoder.open.has(node)) {
    stop(decoder, problems.aliases, node);
  }
  if (node.kind !== 'alias') return read(node);
  decoder.open.add(node);
  const result = follow(decoder, node.target, read);
  decoder.open.delete(node);
  return result;
}

/** Falls from 99 % to 10 % between 400,000 and 4,000,000 values. */
function allowedAliasRatio(count: number): number {
  const share = (count - 400_000) / 3_600_000;
  return 0.99 - 0.89 * Math.min(1, Math.max(0, share));
}

function isNullNode(decoder: Decoder, node: YamlNode): boolean {
  if (node.kind !== 'scalar') return false;
  try {
    return resolve(node).value === null;
  } catch (error) {
    if (!(error instanceof UnreadableScalar)) throw error;
    return stop(decoder, { rule: butaneRules.type, message: error.message }, node);
  }
}

function stop(decoder: Decoder, problem: ButaneProblem, { start }: YamlNode): never {
  throw new Stop({ ...butaneIssue(problem, [...decoder.path]), offset: start });
}

function reportType(decoder: Decoder, node: YamlNode, wanted: string): false {
  const place = decoder.path.length === 0 ? 'the document' : decoder.path.join('.');
  decoder.issues.push({
    rule: butaneRules.type,
    path: [...decoder.path],
    message: `cannot unmarshal ${nodeTag(node)} into ${wanted}`,
    hint: `set ${place} to ${wanted}`,
    offset: node.start,
  });
  return false;
}

/** The tag that yaml.v3 names in messages, e.g. `!!str`. */
function nodeTag(node: YamlNode): string {
  if (node.kind === 'scalar') return resolve(node).tag;
  return node.kind === 'sequence' ? '!!seq' : '!!map';
}

// Scalars with the type of their field, as yaml.v3 reads them: a mix of YAML 1.1 and 1.2, in which `0644` is octal and `yes`
// is true where a boolean is expected. Source: its `resolve.go` and `decode.go`.

type Resolved = { readonly tag: string; readonly value: null | boolean | Integer | string };

/** A value that yaml.v3 cannot read at all, such as `!!int x`. */
class UnreadableScalar extends Error {}

/** The value; undefined if it has another type. */
function readScalar(
  node: YamlScalar,
  kind: 'string' | 'integer' | 'boolean',
): string | Integer | boolean | undefined {
  const { tag, value } = resolve(node);
  if (kind === 'string') return tag === '!!binary' && typeof value === 'string' ? value : node.value;
  if (kind === 'integer') {
    // Numbers with a fraction lose it.
    if (typeof value === 'bigint') return value > MAX_INTEGER ? undefined : value;
    if (typeof value !== 'number' || Number.isNaN(value) || value > 2 ** 63) return undefined;
    if (Number.isSafeInteger(Math.trunc(value))) return Math.trunc(value) + 0;
    // What the processor makes of a float out of range.
    return value >= 2 ** 63 || value < -(2 ** 63) ? MIN_INTEGER : BigInt(Math.trunc(value));
  }
  if (typeof value === 'boolean') return value;
  if (typeof value !== 'string') return undefined;
  if (/^(?:y|Y|yes|Yes|YES|on|On|ON)$/.test(value)) return true;
  return /^(?:n|N|no|No|NO|off|Off|OFF)$/.test(value) ? false : undefined;
}

const MAX_INTEGER = 2n ** 63n - 1n;
const MIN_INTEGER = -(2n ** 63n);

function resolve({ value, isPlain, tag }: YamlScalar): Resolved {
  if (tag === '!!str' || (tag === '' && !isPlain)) return { tag: '!!str', value };
  if (tag === '!!binary') return { tag, value: Buffer.from(value, 'base64').toString('utf8') };
  if (tag !== '' && !resolvable.has(tag)) return { tag, value };
  const found = resolvePlain(value, tag);
  if (tag === '' || tag === found.tag) return found;
  if (tag === '!!float' && found.tag === '!!int') return { tag, value: found.value };
  throw new UnreadableScalar(`cannot decode ${found.tag} as a ${tag}`);
}

const resolvable = new Set(['!!bool', '!!int', '!!float', '!!null', '!!timestamp']);

function resolvePlain(text: string, tag: string): Resolved {
  if (/^(?:true|True|TRUE)$/.test(text)) return { tag: '!!bool', value: true };
  if (/^(?:false|False|FALSE)$/.test(text)) return { tag: '!!bool', value: false };
  if (/^(?:|~|null|Null|NULL)$/.test(text)) return { tag: '!!null', value: null };
  if (text === '<<') return { tag: '!!merge', value: text };
  const [, sign = '', name] = /^([-+]?)\.(nan|NaN|NAN|inf|Inf|INF)$/.exec(text) ?? [];
  if (name !== undefined && (sign === '' || /^i/i.test(name))) {
    const size = /^n/i.test(name) ? Number.NaN : Number.POSITIVE_INFINITY;
    return { tag: '!!float', value: sign === '-' ? -size : size };
  }
  if (/^\.[0-9]/.test(text)) {
    return /^\.\d+(?:[eE][-+]?\d+)?$/.test(text)
      ? { tag: '!!float', value: Number(text) }
      : { tag: '!!str', value: text };
  }
  if (!/^[-+0-9]/.test(text)) return { tag: '!!str', value: text };
  if ((tag === '' || tag === '!!timestamp') && isTimestamp(text)) return { tag: '!!timestamp', value: text };
  const integer = parseInteger(text.replaceAll('_', ''));
  if (integer !== undefined) return { tag: '!!int', value: integer };
  const plain = text.replaceAll('_', '');
  return /^[-+]?(?:\.\d+|\d+(?:\.\d*)?)(?:[eE][-+]?\d+)?$/.test(plain) && Number.isFinite(Number(plain))
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

function isTimestamp(text: string): boolean {
  const [, year, month = 0, day = 0, , hour = 0, minute = 0, second = 0] =
    /^(\d{4})-(\d\d?)-(\d\d?)(?:([Tt ])(\d\d?):(\d\d?):(\d\d?)(?:\.\d+)?(?:Z|[-+]\d\d:\d\d)?)?$/.exec(text) ??
    [];
  if (year === undefined) return false;
  const days = new Date(Date.UTC(Number(year), Number(month), 0)).getUTCDate();
  const isDate = Number(month) >= 1 && Number(month) <= 12 && Number(day) >= 1 && Number(day) <= days;
  return isDate && Number(hour) < 24 && Number(minute) < 60 && Number(second) < 60;
}
