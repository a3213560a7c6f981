/**
 * The values of a YAML text with their places, in UTF-16 code units. An alias has the place of its
 * target. The text is valid (`../yaml.ts`). Multi-line texts are unchanged, with their indentation.
 */

import { EVENT_ID, type Event, getScalarValue, SCALAR_STYLE } from 'js-yaml';
import type { ScalarNode, Span, TextNode } from '../textNode.ts';
import { readEvents } from './events.ts';
import { nextEvent, type ScalarEvent } from './places.ts';

export interface YamlNodes {
  /** Undefined for an empty text. */
  readonly root: TextNode | undefined;
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
  readonly anchors: Map<string, TextNode>;
  readonly scalars: Span[];
}

/** Undefined at the end of a collection. Recursion is bounded by `maxDepth`. */
function readNode(reader: Reader): TextNode | undefined {
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

function readValue(reader: Reader, event: ScalarEvent | CollectionEvent): TextNode {
  if (event.type === EVENT_ID.SCALAR) return readScalar(reader, event);
  if (event.type === EVENT_ID.SEQUENCE) {
    const items: TextNode[] = [];
    for (let item = readNode(reader); item !== undefined; item = readNode(reader)) items.push(item);
    return { kind: 'list', items: () => items };
  }
  const entries: (readonly [string, TextNode])[] = [];
  for (let key = readKey(reader); key !== undefined; key = readKey(reader)) {
    const value = readNode(reader);
    if (value !== undefined) entries.push([key, value]);
  }
  return { kind: 'object', entries: () => entries };
}

function readKey(reader: Reader): string | undefined {
  const event = reader.events[reader.at];
  const node = readNode(reader);
  if (node === undefined) return undefined;
  return event?.type === EVENT_ID.SCALAR ? getScalarValue(reader.text, event) : '';
}

function readScalar({ text: source, scalars }: Reader, event: ScalarEvent): ScalarNode {
  const span = { start: Math.max(0, event.valueStart), end: Math.max(0, event.valueEnd) };
  scalars.push(span);
  const written = source.slice(span.start, span.end);
  const isEscaped = event.style === SCALAR_STYLE.DOUBLE_QUOTED && !written.includes('\n');
  const text = isEscaped ? getScalarValue(source, event) : written;
  const place = isEscaped ? createPlacer(written) : (unit: number) => unit;
  const locate = ({ start, end }: Span): Span => ({
    start: span.start + place(start),
    end: span.start + place(end),
  });
  const isFolded = event.style === SCALAR_STYLE.FOLDED_BLOCK;
  const isBlock = isFolded || event.style === SCALAR_STYLE.LITERAL_BLOCK;
  return {
    kind: 'scalar',
    span,
    text,
    locate,
    ...(isBlock && { block: { indent: event.indent, isFolded } }),
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
