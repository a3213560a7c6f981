/**
 * Decodes a YAML document into the objects of a Butane version, as yaml.v3 does: a null item leaves a list, aliases and merge keys
 * are followed, and the values of unknown keys are not read at all.
 */

import {
  type DocumentNode,
  type MappingEntry,
  type MappingNode,
  outerStart,
  type ScalarNode,
  targetOf,
  type ValueNode,
} from '../formats/documentTree.ts';
import type { Path } from '../core/finding.ts';
import { append } from '../core/lists.ts';
import { issue } from '../core/rule.ts';
import type { Mapping } from '../formats/mapping.ts';
import type { Integer } from '../ignition/config.ts';
import { decode, type ExpectedType } from '../ignition/decode.ts';
import type { ScalarField, StructType } from '../ignition/schema.ts';
import { kindNames } from '../ignition/typeHints.ts';
import { type ButaneFinding, butaneRules, duplicateKey, problems } from './rules.ts';

interface Decoded {
  readonly value: Mapping;
  /** Errors; each has its offset in the text. */
  readonly issues: readonly ButaneFinding[];
}

export function decodeButane(root: DocumentNode | undefined, type: StructType): Decoded {
  const issues: ButaneFinding[] = [];
  if (root === undefined) return { value: {}, issues };
  const value = decode(root, type, {
    entriesOf: (node, path) => entriesOf(issues, node, path),
    findField: ({ fields }, key) => fields.find(({ name }) => name === key),
    isNull,
    readScalar,
    keepsNullItems: false,
    refuse: (found, expected, path) => issues.push(typeIssue(found, expected, [...path])),
  });
  return { value, issues };
}

/**
 * The entries of an object and of those that it merges. A key that occurs twice is an error.
 * @param done keys that are set already, by the object into which this one is merged
 */
function entriesOf(
  issues: ButaneFinding[],
  { entries }: MappingNode,
  path: Path,
  done: ReadonlySet<string> = new Set(),
): readonly MappingEntry[] | undefined {
  const seen = new Set<string>();
  for (const { key } of entries) {
    if (seen.has(key.text)) {
      issues.push({ ...issue(duplicateKey(key.text), [...path, key.text]), offset: outerStart(key) });
    }
    seen.add(key.text);
  }
  if (seen.size < entries.length) return undefined;
  const known = new Set([...done, ...seen]);
  const all = entries.filter(({ key }) => !isMergeKey(key) && !isNull(key) && !done.has(key.text));
  const merged = entries.find(({ key }) => isMergeKey(key))?.value;
  for (const source of merged?.kind === 'sequence' ? merged.items : merged ? [merged] : []) {
    const mapping = targetOf(source);
    if (mapping.kind !== 'mapping') {
      issues.push({ ...issue(problems.mergeKey, [...path]), offset: outerStart(source) });
      continue;
    }
    const inner = entriesOf(issues, mapping, path, known) ?? [];
    for (const { key } of inner) known.add(key.text);
    append(all, inner);
  }
  return all;
}

function isMergeKey({ style, tag, text }: ScalarNode): boolean {
  return text === '<<' && style === 'plain' && (tag === undefined || tag === '!' || tag === '!!merge');
}

function isNull(node: ValueNode): boolean {
  return node.kind === 'scalar' && resolve(node).value === null;
}

function typeIssue(found: ValueNode, { kind }: ExpectedType, path: Path): ButaneFinding {
  const place = path.length === 0 ? 'the document' : path.join('.');
  const wanted = kindNames[kind];
  return {
    ...butaneRules['butane-type'],
    path,
    message: `cannot unmarshal ${tagOf(found)} into ${wanted}`,
    hint: `set ${place} to ${wanted}`,
    offset: outerStart(found),
  };
}

/** The tag that yaml.v3 names in messages, e.g. `!!str`. */
function tagOf(node: ValueNode): string {
  if (node.kind === 'scalar') return resolve(node).tag;
  return node.kind === 'sequence' ? '!!seq' : '!!map';
}

type Resolved = { readonly tag: string; readonly value: null | boolean | Integer | string };

/**
 * The value, as yaml.v3 reads it: a mix of YAML 1.1 and 1.2, in which `0644` is octal and `yes` is true where a boolean is
 * expected. Source: its `resolve.go` and `decode.go`. Undefined if it has another type.
 */
function readScalar(node: ScalarNode, kind: ScalarField['kind']): string | Integer | boolean | undefined {
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
