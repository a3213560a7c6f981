/**
 * The values of a YAML text with their places, in UTF-16 code units. An alias has the place of its
 * target. The text is valid (`../yaml.ts`). Multi-line texts are unchanged, with their indentation.
 */

import { EVENT_ID, type Event, getScalarValue, SCALAR_STYLE } from 'js-yaml';
import type { DocumentNode, Entry, PlacedText, ScalarNode, Span } from '../documentTree.ts';
import { readEvents } from './events.ts';
import { nextEvent, type ScalarEvent } from './places.ts';

export interface YamlNodes {
  /** Undefined for an empty text. */
  readonly root: DocumentNode | undefined;
  /** All scalars, keys included, in their order; outside of them a `#` begins a comment. */
  readonly scalars: readonly Span[];
}

export function readYamlNodes(text: string): YamlNodes {
  const events = readEvents(text);
  const reader: Reader = { text, events, at: 0, anchors: new Map(), scalars: [] };
  reader.at = events.findIndex(({ type }) => type === EVENT_ID.DOCUMENT) + 1;
  return { root: readNode(reader), scalars: reader.scalars };
}

interface Reader {
  readonly text: string;
  readonly events: readonly Event[];
  at: number;
  readonly anchors: Map<string, DocumentNode>;
  readonly scalars: Span[];
}

/** Undefined at the end of a collection. Recursion is bounded by `maxDepth`. */
function readNode(reader: Reader): DocumentNode | undefined {
  const { text, anchors } = reader;
  const event = nextEvent(reader);
  if (event === undefined) return undefined;
  const anchor = text.slice(event.anchorStart, event.anchorEnd);
  if (event.type === EVENT_ID.ALIAS) return anchors.get(anchor);
  const node = readValue(reader, event);
  if (event.anchorStart >= 0) anchors.set(anchor, node);
  return node;
}

type CollectionEvent = Extract<Event, { type: typeof EVENT_ID.SEQUENCE | typeof EVENT_ID.MAPPING }>;

function readValue(reader: Reader, event: ScalarEvent | CollectionEvent): DocumentNode {
  if (event.type === EVENT_ID.SCALAR) return readScalar(reader, event);
  if (event.type === EVENT_ID.SEQUENCE) {
    const items: DocumentNode[] = [];
    for (let item = readNode(reader); item !== undefined; item = readNode(reader)) items.push(item);
    return { kind: 'sequence', start: event.start, end: event.start, style: 'block', items };
  }
  const entries: Entry[] = [];
  for (let key = readNode(reader); key !== undefined; key = readNode(reader)) {
    const value = readNode(reader);
    if (value !== undefined && key.kind === 'scalar') entries.push({ key, value });
  }
  return { kind: 'mapping', start: event.start, end: event.start, style: 'block', entries };
}

function readScalar({ text, scalars }: Reader, event: ScalarEvent): ScalarNode {
  const span = { start: Math.max(0, event.valueStart), end: Math.max(0, event.valueEnd) };
  scalars.push(span);
  const style = styles.get(event.style) ?? 'plain';
  const quote = style.endsWith('quoted') ? 1 : 0;
  const isBlock = style === 'literal' || style === 'folded';
  return {
    kind: 'scalar',
    start: span.start - quote,
    end: span.end + quote,
    text: getScalarValue(text, event),
    style,
    ...(isBlock && { block: { contentStart: span.start, indent: event.indent } }),
  };
}

const styles: ReadonlyMap<number, ScalarNode['style']> = new Map([
  [SCALAR_STYLE.SINGLE_QUOTED, 'single-quoted'],
  [SCALAR_STYLE.DOUBLE_QUOTED, 'double-quoted'],
  [SCALAR_STYLE.LITERAL_BLOCK, 'literal'],
  [SCALAR_STYLE.FOLDED_BLOCK, 'folded'],
]);

/** The value of a string in double quotes on one line; other scalars as they are written, without quotes. */
export function placedText(source: string, { block, end, start, style, text }: ScalarNode): PlacedText {
  const quote = style.endsWith('quoted') ? 1 : 0;
  const first = block?.contentStart ?? start + quote;
  const written = source.slice(first, end - quote);
  const isEscaped = style === 'double-quoted' && !written.includes('\n');
  const place = isEscaped ? createPlacer(written) : (unit: number) => unit;
  return {
    text: isEscaped ? text : written,
    locate: (part) => ({ start: first + place(part.start), end: first + place(part.end) }),
  };
}

/** Returns a function that goes through the text once for code units in their order. */
function createPlacer(written: string): (unit: number) => number {
  let reached: Reached = { at: 0, units: 0 };
  return (unit) => {
    if (unit < reached.units) reached = { at: 0, units: 0 };
    reached = placeOf(written, reached, unit);
    return reached.at;
  };
}

/** A position in a text with escapes. */
interface Reached {
  readonly at: number;
  /** Code units of the decoded text before it. */
  readonly units: number;
}

/** The position of the code unit with this number. */
function placeOf(written: string, from: Reached, wanted: number): Reached {
  let { at, units } = from;
  for (; units < wanted && at < written.length; units += 1) {
    const escape = written[at] === '\\' ? (written[at + 1] ?? '') : undefined;
    at += escape === undefined ? 1 : (longEscapes.get(escape) ?? 2);
    if (escape === 'U') units += 1; // most of these are beyond the basic plane
  }
  return { at, units };
}

/** Characters of an escape, by its letter; all others have two. */
const longEscapes: ReadonlyMap<string, number> = new Map([
  ['x', 4],
  ['u', 6],
  ['U', 10],
]);
