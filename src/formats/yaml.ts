/**
 * YAML 1.2 with the core schema, read by js-yaml and made safe for hostile and for careless input; a JSON document is
 * YAML too. Refused, though YAML has them: several documents in one text, tags other than `!!str`, keys that are no
 * scalars, aliases that go round in circles or blow up, and numbers that would not come out as they are written
 * (`0755`, `4.20`, `1e3`). Merge keys (`<<`) are ordinary keys, as YAML 1.2 has none.
 *
 * js-yaml is not needed by most commands: import this file only where YAML is read.
 */

import {
  COLLECTION_STYLE,
  constructFromEvents,
  EVENT_ID,
  type Event,
  getScalarValue,
  parseEvents,
  SCALAR_STYLE,
  YAMLException,
} from 'js-yaml';
import { FormatError } from '../errors.ts';
import type { Path, Position } from '../report.ts';

export interface ParsedYaml {
  /** Plain objects, lists, strings, numbers, booleans and null; null for an empty text. */
  readonly value: unknown;
  /** Where the deepest value on the path that exists stands; undefined only for an empty text. */
  readonly locate: (path: Path) => Position | undefined;
}

/**
 * Reads one document.
 * @throws FormatError that ends in line and column
 */
export function parseYaml(text: string): ParsedYaml {
  const events = withYamlErrors(text, () => parseEvents(text, { maxDepth }));
  const root = readTree(text, events);
  const documents: readonly unknown[] = withYamlErrors(text, () =>
    constructFromEvents(events, { source: text }),
  );
  const positionOf = makeLocator(text);
  return {
    value: documents[0] ?? null,
    locate: (path) => (root === undefined ? undefined : positionOf(findNode(root, path).start)),
  };
}

/** Of collections in collections; deeper input is not meant for any reader here. */
const maxDepth = 64;
/** Values after every alias is replaced by what it stands for, which is what a reader walks. */
const maxNodes = 2_000_000;

/** What is needed to find a value again. Aliases share the children of what they stand for. */
interface Node {
  readonly start: number;
  /** Values in it, itself included. */
  nodes: number;
  /** Levels below it. */
  height: number;
  readonly children: ReadonlyMap<string | number, Node>;
}

interface Collection extends Node {
  readonly children: Map<string | number, Node>;
}

function withYamlErrors<T>(text: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    // js-yaml gives no word on what else it may throw.
    if (!(error instanceof YAMLException)) throw new FormatError('YAML cannot be read', { cause: error });
    throw yamlError(text, { message: sentence(error.reason), offset: error.mark?.position ?? 0 });
  }
}

function sentence(reason: string): string {
  return `YAML cannot be read: ${reason}`;
}

interface YamlProblem {
  readonly message: string;
  /** In characters. */
  readonly offset: number;
  readonly hint?: string;
}

function yamlError(text: string, { message, offset, hint }: YamlProblem): FormatError {
  const { line, column } = makeLocator(text)(offset);
  const details = hint === undefined ? { offset } : { offset, hint };
  return new FormatError(`${message} at line ${line}, column ${column}`, details);
}

/** A collection whose end has not been seen. */
interface Open {
  readonly node: Collection;
  readonly kind: 'document' | 'sequence' | 'mapping';
  readonly anchor: string | undefined;
  key: { readonly name: string; readonly start: number } | undefined;
}

interface Walk {
  readonly text: string;
  readonly anchors: Map<string, Node>;
  readonly open: Open[];
  /** Holds the root as its only child. */
  document: Collection | undefined;
}

/** The root, or undefined for an empty text. */
function readTree(text: string, events: readonly Event[]): Node | undefined {
  const walk: Walk = { text, anchors: new Map(), open: [], document: undefined };
  for (const event of events) {
    if (event.type === EVENT_ID.DOCUMENT) openDocument(walk);
    else if (event.type === EVENT_ID.POP) closeCollection(walk);
    else readNode(walk, event);
  }
  return walk.document?.children.get(0);
}

function openDocument(walk: Walk): void {
  if (walk.document !== undefined) {
    throw new FormatError('YAML has more than one document', { hint: 'split it at the lines with ---' });
  }
  walk.document = newCollection(0);
  walk.open.push({ node: walk.document, kind: 'document', anchor: undefined, key: undefined });
}

function newCollection(start: number): Collection {
  return { start, nodes: 1, height: 0, children: new Map() };
}

function newScalar(start: number): Node {
  return { start, nodes: 1, height: 0, children: noChildren };
}

const noChildren: ReadonlyMap<string | number, Node> = new Map();

type NodeEvent = Exclude<Event, { type: typeof EVENT_ID.POP | typeof EVENT_ID.DOCUMENT }>;

function readNode(walk: Walk, event: NodeEvent): void {
  const parent = walk.open.at(-1);
  if (parent?.kind === 'mapping' && parent.key === undefined) parent.key = readKey(walk, event);
  else if (event.type === EVENT_ID.ALIAS) addChild(walk, readAlias(walk, event));
  else if (event.type === EVENT_ID.SCALAR) addChild(walk, readScalar(walk, event, parent?.key?.start));
  else openCollection(walk, event, parent?.key?.start);
}

type ScalarEvent = Extract<Event, { type: typeof EVENT_ID.SCALAR }>;
type AliasEvent = Extract<Event, { type: typeof EVENT_ID.ALIAS }>;

function readScalar(walk: Walk, event: ScalarEvent, keyStart: number | undefined): Node {
  checkTag(walk, event);
  checkNumber(walk.text, event);
  const node = newScalar(startOf(event, keyStart));
  const anchor = anchorOf(walk.text, event);
  if (anchor !== undefined) walk.anchors.set(anchor, node);
  return node;
}

function openCollection(
  walk: Walk,
  event: Exclude<NodeEvent, ScalarEvent | AliasEvent>,
  keyStart: number | undefined,
): void {
  checkTag(walk, event);
  const anchor = anchorOf(walk.text, event);
  // Until it is complete nothing may refer to it.
  if (anchor !== undefined) walk.anchors.delete(anchor);
  const kind = event.type === EVENT_ID.SEQUENCE ? 'sequence' : 'mapping';
  walk.open.push({ node: newCollection(startOf(event, keyStart)), kind, anchor, key: undefined });
}

function readKey(walk: Walk, event: NodeEvent): { readonly name: string; readonly start: number } {
  if (event.type !== EVENT_ID.SCALAR) {
    const offset = event.type === EVENT_ID.ALIAS ? event.anchorStart - 1 : event.start;
    throw yamlError(walk.text, { message: sentence('a key has to be a simple text'), offset });
  }
  const { start } = readScalar(walk, event, undefined);
  return { name: getScalarValue(walk.text, event), start };
}

/** A value that begins on a later line than its key is shown at the key. */
function startOf(event: Exclude<NodeEvent, AliasEvent>, keyStart: number | undefined): number {
  if (event.type !== EVENT_ID.SCALAR) {
    return event.style === COLLECTION_STYLE.FLOW ? event.start : (keyStart ?? event.start);
  }
  if (event.style === SCALAR_STYLE.PLAIN && event.valueStart >= 0) return event.valueStart;
  if (event.style === SCALAR_STYLE.SINGLE_QUOTED || event.style === SCALAR_STYLE.DOUBLE_QUOTED) {
    return event.valueStart - 1;
  }
  return keyStart ?? Math.max(0, event.valueStart);
}

function anchorOf(text: string, event: Exclude<NodeEvent, AliasEvent>): string | undefined {
  return event.anchorStart < 0 ? undefined : text.slice(event.anchorStart, event.anchorEnd);
}

function readAlias(walk: Walk, event: AliasEvent): Node {
  const target = walk.anchors.get(walk.text.slice(event.anchorStart, event.anchorEnd));
  const offset = event.anchorStart - 1;
  if (target === undefined) {
    const message = sentence('an alias has to refer to something that is complete before it');
    throw yamlError(walk.text, { message, offset });
  }
  return { ...target, start: offset };
}

function checkTag(walk: Walk, event: Exclude<NodeEvent, AliasEvent>): void {
  if (event.tagStart < 0 || walk.text.slice(event.tagStart, event.tagEnd) === '!!str') return;
  const hint = 'leave the tag out';
  throw yamlError(walk.text, { message: sentence('tags are not used here'), offset: event.tagStart, hint });
}

function addChild(walk: Walk, child: Node): void {
  const parent = walk.open.at(-1);
  if (parent === undefined) return;
  const { node, key } = parent;
  node.children.set(key?.name ?? node.children.size, child);
  parent.key = undefined;
  node.nodes += child.nodes;
  node.height = Math.max(node.height, child.height + 1);
  if (node.nodes <= maxNodes && node.height + walk.open.length <= maxDepth * 2) return;
  throw yamlError(walk.text, { message: sentence('its aliases make it too large'), offset: child.start });
}

function closeCollection(walk: Walk): void {
  const closed = walk.open.pop();
  if (closed === undefined || closed.kind === 'document') return;
  if (closed.anchor !== undefined) walk.anchors.set(closed.anchor, closed.node);
  addChild(walk, closed.node);
}

const decimal = /^[-+]?(?:0|[1-9][0-9]*)$/;
const octalOrHex = /^0(?:o[0-7]+|x[0-9a-fA-F]+)$/;
const float = /^[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?$/;
/** Numbers for some YAML readers and text for others. */
const disputed = /^(?:[-+]0[ox][0-9a-fA-F]+|[-+]?0b[01]+)$/;

/** Versions, identifiers and file modes look like numbers and lose digits when they are taken for numbers. */
function checkNumber(text: string, event: ScalarEvent): void {
  if (event.style !== SCALAR_STYLE.PLAIN || event.tagStart >= 0 || event.valueStart < 0) return;
  const first = text.charCodeAt(event.valueStart);
  if (first > digit9 || first < plus) return;
  const written = text.slice(event.valueStart, event.valueEnd);
  if (isFaithful(written)) return;
  throw yamlError(text, {
    message: 'YAML has a number that would not be read as it is written',
    offset: event.valueStart,
    hint: 'put it in quotes if it is a text; else write it in plain decimal digits, or as 0o… or 0x…',
  });
}

/** Everything that can begin a number is from `+` to `9`. */
const plus = 0x2b;
const digit9 = 0x39;

function isFaithful(written: string): boolean {
  if (decimal.test(written) || octalOrHex.test(written)) return Number.isSafeInteger(Number(written));
  if (float.test(written)) return String(Number(written)) === written.replace(/^\+/, '');
  return !disputed.test(written);
}

function findNode(root: Node, path: Path): Node {
  let node = root;
  for (const step of path) {
    const child = node.children.get(step);
    if (child === undefined) break;
    node = child;
  }
  return node;
}

/** Offsets in characters to lines and columns; the lines are found once, when they are first needed. */
function makeLocator(text: string): (offset: number) => Position {
  let starts: readonly number[] | undefined;
  return (offset) => {
    starts ??= lineStarts(text);
    let low = 0;
    let high = starts.length;
    while (high - low > 1) {
      const middle = (low + high) >>> 1;
      if ((starts[middle] ?? 0) <= offset) low = middle;
      else high = middle;
    }
    return { line: low + 1, column: Buffer.byteLength(text.slice(starts[low], offset)) + 1 };
  };
}

function lineStarts(text: string): number[] {
  const starts = [0];
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
  return starts;
}
