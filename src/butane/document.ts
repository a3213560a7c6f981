/**
 * A YAML document as nodes with offsets (in UTF-16 code units), as Butane sees it: aliases and merge keys are nodes of their
 * own, and scalars are text until a field gives them a type. Only the first document of a text counts. Source of the offsets:
 * yaml.v3, where a node starts at its anchor or tag, a block mapping at its first key, and a block scalar at its indicator.
 */

import { type Event, EVENT_ID, getScalarValue, SCALAR_STYLE } from 'js-yaml';
import { FormatError } from '../core/errors.ts';
import type { Path } from '../core/finding.ts';
import { refuseLarge } from '../formats/yaml.ts';
import { explainedError, yamlError } from '../formats/yaml/errors.ts';
import { readEvents } from '../formats/yaml/events.ts';
import { nextEvent, type ScalarEvent } from '../formats/yaml/places.ts';

export type YamlNode = YamlScalar | MappingNode | SequenceNode | AliasNode;

export interface YamlScalar {
  readonly kind: 'scalar';
  readonly start: number;
  readonly value: string;
  readonly isPlain: boolean;
  /** `!!int`, `!name`; empty without a tag. */
  readonly tag: string;
}

export interface MappingNode {
  readonly kind: 'mapping';
  readonly start: number;
  readonly entries: (readonly [key: YamlNode, value: YamlNode])[];
}

interface SequenceNode {
  readonly kind: 'sequence';
  readonly start: number;
  readonly items: YamlNode[];
}

interface AliasNode {
  readonly kind: 'alias';
  readonly start: number;
  /** The node with the anchor; it may contain this alias. */
  readonly target: YamlNode;
}

export interface ButaneDocument {
  /** Undefined for an empty text. */
  readonly root: YamlNode | undefined;
  /** The text continues with another document. */
  readonly hasMore: boolean;
}

/** Larger texts take too much memory: contents belong in files. */
export const MAX_BUTANE_BYTES = 16 * 1024 * 1024;

/** @throws FormatError with a position */
export function readDocument(text: string): ButaneDocument {
  const events = eventsOf(text);
  const starts: number[] = [];
  for (const [index, { type }] of events.entries()) if (type === EVENT_ID.DOCUMENT) starts.push(index + 1);
  const [at = 0, ofAnother] = starts;
  const reader: Reader = { text, events, at, end: 0, anchors: new Map() };
  return { root: readNode(reader), hasMore: ofAnother !== undefined };
}

function eventsOf(text: string): readonly Event[] {
  refuseLarge(text);
  try {
    return readEvents(text);
  } catch (error) {
    throw error instanceof FormatError ? error : explainedError(text, error);
  }
}

/** The offset of the deepest node on the path. Aliases are not followed. */
export function offsetOf(root: YamlNode, path: Path): number {
  let node = root;
  for (const step of path) {
    const child =
      node.kind === 'sequence' && typeof step === 'number'
        ? node.items[step]
        : node.kind === 'mapping' && typeof step === 'string'
          ? lastEntry(node, step)?.[1]
          : undefined;
    if (child === undefined) break;
    node = child;
  }
  return node.start;
}

/** The last entry with this key. */
export function lastEntry({ entries }: MappingNode, key: string): readonly [YamlNode, YamlNode] | undefined {
  return entries.findLast(([node]) => textOfKey(node) === key);
}

/** Keys that are no scalars are empty. */
export function textOfKey(key: YamlNode): string {
  return key.kind === 'scalar' ? key.value : '';
}

interface Reader {
  readonly text: string;
  readonly events: readonly Event[];
  at: number;
  /** The end of what has been read, in the text. */
  end: number;
  readonly anchors: Map<string, YamlNode>;
}

/** Undefined at the end of a collection. Recursion is bounded by `maxDepth`. */
function readNode(reader: Reader): YamlNode | undefined {
  const { text, anchors } = reader;
  const event = nextEvent(reader);
  if (event === undefined) return undefined;
  const anchor = text.slice(event.anchorStart, event.anchorEnd);
  if (event.type === EVENT_ID.ALIAS) {
    const start = event.anchorStart - 1;
    const target = anchors.get(anchor);
    reader.end = event.anchorEnd;
    if (target !== undefined) return { kind: 'alias', start, target };
    const hint = 'put the value in quotes if it is text that starts with *';
    throw yamlError(text, `Invalid YAML: unknown anchor ${anchor}`, start, hint);
  }
  const properties = [event.anchorStart - 1, event.tagStart].filter((offset) => offset >= 0);
  const propertiesStart = properties.reduce((one, other) => Math.min(one, other), Infinity);
  if (event.type === EVENT_ID.SCALAR) {
    const start = Math.min(propertiesStart, scalarStart(reader, event));
    const tag = event.tagStart < 0 ? '' : shortTag(text.slice(event.tagStart, event.tagEnd));
    const isPlain = event.style === SCALAR_STYLE.PLAIN;
    const node: YamlNode = { kind: 'scalar', start, value: getScalarValue(text, event), isPlain, tag };
    if (anchor !== '') anchors.set(anchor, node);
    const isQuoted = event.style === SCALAR_STYLE.DOUBLE_QUOTED || event.style === SCALAR_STYLE.SINGLE_QUOTED;
    reader.end = Math.max(
      event.valueEnd + (isQuoted ? 1 : 0),
      event.anchorEnd,
      event.tagEnd,
      start,
      reader.end,
    );
    return node;
  }
  const start = Math.min(propertiesStart, event.start);
  reader.end = Math.max(reader.end, event.start);
  if (event.type === EVENT_ID.SEQUENCE) {
    const items: YamlNode[] = [];
    const node: YamlNode = { kind: 'sequence', start, items };
    if (anchor !== '') anchors.set(anchor, node);
    for (let item = readNode(reader); item !== undefined; item = readNode(reader)) items.push(item);
    return node;
  }
  const entries: (readonly [YamlNode, YamlNode])[] = [];
  const node: YamlNode = { kind: 'mapping', start, entries };
  if (anchor !== '') anchors.set(anchor, node);
  for (let key = readNode(reader); key !== undefined; key = readNode(reader)) {
    const value = readNode(reader);
    if (value !== undefined) entries.push([key, value]);
  }
  return node;
}

function scalarStart({ text, end }: Reader, { style, valueStart }: ScalarEvent): number {
  if (style === SCALAR_STYLE.PLAIN) return valueStart >= 0 ? valueStart : emptyStart(text, end);
  if (style === SCALAR_STYLE.SINGLE_QUOTED || style === SCALAR_STYLE.DOUBLE_QUOTED) return valueStart - 1;
  const lineStart = text.lastIndexOf('\n', valueStart - 2) + 1;
  const indicator = text
    .slice(lineStart, valueStart)
    .search(/[|>][-+0-9]{0,2}(?:[ \t]+#[^\n]*)?[ \t\r]*\n?$/);
  return indicator < 0 ? valueStart : lineStart + indicator;
}

/** An empty value is behind its colon or dash. */
function emptyStart(text: string, end: number): number {
  const before = /(?:\s|#[^\n]*)*[:-]/y;
  before.lastIndex = end;
  return before.test(text) ? before.lastIndex : end;
}

/** `!<tag:yaml.org,2002:int>` is `!!int`. */
function shortTag(written: string): string {
  const tag = written.replace(/^!<(.*)>$/s, '$1').replace(/^tag:yaml\.org,2002:/, '!!');
  return tag === '!' ? '' : tag;
}
