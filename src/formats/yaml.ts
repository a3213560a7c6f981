/**
 * YAML 1.2 with the core schema, read by js-yaml and made safe for hostile and for careless input; a JSON document is
 * YAML too. Refused, though YAML has them: several documents in one text, tags other than `!!str`, and numbers that would not
 * come out as they are written (`0755`, `4.20`, `1e3`), besides what `yaml/tree.ts` refuses. Merge keys (`<<`) are ordinary
 * keys, as YAML 1.2 has none.
 *
 * js-yaml is not needed by most commands: import this file only where YAML is read.
 */

import { FormatError, type Position } from '../core/errors.ts';
import type { Path } from '../core/finding.ts';
import { quoteText } from '../core/foreignText.ts';
import {
  childAt,
  type DocumentNode,
  lastEntry,
  type MappingNode,
  type ScalarNode,
  targetOf,
  type ValueNode,
} from './documentTree.ts';
import { lineColumns } from './lineColumns.ts';
import { sentence, yamlError } from './yaml/errors.ts';
import { type LocateInText, makeLocateInText } from './yaml/innerPlaces.ts';
import { readYamlTree } from './yaml/tree.ts';

export interface ParsedYaml {
  /** Plain objects, lists, strings, numbers, booleans and null; null for an empty text. Keys are strings as written. */
  readonly value: unknown;
  /** Position of the deepest existing value on the path; undefined only for an empty text. */
  readonly locate: (path: Path) => Position | undefined;
  /** Position of a place in a text that is a block (`|`, `>`). */
  readonly locateInText: LocateInText;
}

export interface YamlDocument extends ParsedYaml {
  /** Undefined for an empty text. */
  readonly root: DocumentNode | undefined;
}

/**
 * Reads one document.
 * @throws FormatError that ends in line and column
 */
export function parseYaml(text: string): YamlDocument {
  const { hasMore, root } = readYamlTree(text);
  if (hasMore) {
    throw new FormatError('The YAML file contains more than one document', {
      hint: 'split the file at the lines with ---',
    });
  }
  const value = root === undefined ? null : valueOf(root, text, new Map());
  return { value, root, locate: makeLocate(text, root), locateInText: makeLocateInText(text, root) };
}

/** @param anchored values of complete nodes to which aliases may refer */
function valueOf(node: DocumentNode, text: string, anchored: Map<DocumentNode, unknown>): unknown {
  if (node.kind === 'alias') return anchored.get(node.target);
  checkTag(node, text);
  const value =
    node.kind === 'scalar'
      ? scalarValue(node, text)
      : node.kind === 'sequence'
        ? node.items.map((item) => valueOf(item, text, anchored))
        : Object.fromEntries(membersOf(node.entries, text, anchored));
  if (node.propertiesStart !== undefined) anchored.set(node, value);
  return value;
}

function membersOf(
  entries: MappingNode['entries'],
  text: string,
  anchored: Map<DocumentNode, unknown>,
): ReadonlyMap<string, unknown> {
  const members = new Map<string, unknown>();
  for (const { key, value } of entries) {
    checkTag(key, text);
    if (key.propertiesStart !== undefined) anchored.set(key, scalarValue(key, text));
    if (members.has(key.text)) {
      const hint = `remove one of the two keys ${quoteText(key.text)}`;
      throw yamlError(text, sentence('duplicated mapping key'), key.start, hint);
    }
    members.set(key.text, valueOf(value, text, anchored));
  }
  return members;
}

function checkTag({ propertiesStart = 0, tag }: ValueNode, text: string): void {
  if (tag === undefined || tag === '!!str') return;
  const hint = 'remove the tag, or put the value in quotes if it is text that starts with !';
  throw yamlError(text, sentence('tags are not supported'), propertiesStart, hint);
}

function scalarValue({ start, style, tag, text: written }: ScalarNode, text: string): unknown {
  if (style !== 'plain' || tag !== undefined) return written;
  const word = words.get(written);
  if (word !== undefined) return word;
  if (!NUMBER.test(written)) return written;
  const value = Number(written);
  const isFaithful = INTEGER.test(written)
    ? Number.isSafeInteger(value)
    : String(value) === written.replace(/^\+/, '');
  if (isFaithful) return value;
  const message = 'The YAML file contains a number that cannot be read exactly as written';
  const hint = 'quote it if it is a string; otherwise write it in plain decimal digits, or as 0o… or 0x…';
  throw yamlError(text, message, start, hint);
}

const words: ReadonlyMap<string, unknown> = new Map<string, unknown>([
  ...['', '~', 'null', 'Null', 'NULL'].map((word) => [word, null] as const),
  ...['true', 'True', 'TRUE'].map((word) => [word, true] as const),
  ...['false', 'False', 'FALSE'].map((word) => [word, false] as const),
  ...['.inf', '.Inf', '.INF', '+.inf', '+.Inf', '+.INF'].map((word) => [word, Infinity] as const),
  ...['-.inf', '-.Inf', '-.INF'].map((word) => [word, -Infinity] as const),
  ...['.nan', '.NaN', '.NAN'].map((word) => [word, Number.NaN] as const),
]);

/** Also what is a number for some YAML readers and text for others: `-0x1F`, `0b101`. */
const NUMBER =
  /^(?:0o[0-7]+|0x[0-9a-fA-F]+|[-+]0[ox][0-9a-fA-F]+|[-+]?(?:0b[01]+|(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?))$/;
const INTEGER = /^(?:[-+]?(?:0|[1-9][0-9]*)|0o[0-7]+|0x[0-9a-fA-F]+)$/;

function makeLocate(text: string, root: DocumentNode | undefined): ParsedYaml['locate'] {
  const positionOf = lineColumns(text);
  return (path) => {
    if (root === undefined) return undefined;
    let node = root;
    let start = shownStart(root, root.start, 0);
    for (const step of path) {
      const parent = targetOf(node);
      const entry =
        parent.kind === 'mapping' && typeof step === 'string' ? lastEntry(parent, step) : undefined;
      const child = entry?.value ?? childAt(parent, step);
      if (child === undefined) break;
      start = shownStart(child, entry?.key.start ?? child.start, entry?.key.start ?? start);
      node = child;
    }
    return positionOf(start);
  };
}

/** A value that begins on a later line than its key is shown at the key, an item that is empty at its list. */
function shownStart(node: DocumentNode, ofBlock: number, ofMissing: number): number {
  if (node.kind === 'alias') return node.start;
  if (node.kind !== 'scalar') return node.style === 'block' ? ofBlock : node.start;
  if (node.style === 'plain') return node.text === '' ? ofMissing : node.start;
  return node.style === 'literal' || node.style === 'folded' ? ofBlock : node.start;
}
