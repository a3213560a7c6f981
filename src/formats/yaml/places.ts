/** The positions of the values of a YAML text: read from the events of js-yaml, with the checks that report a position. */

import { COLLECTION_STYLE, type Event, EVENT_ID, getScalarValue, SCALAR_STYLE } from 'js-yaml';
import { FormatError } from '../../core/errors.ts';
import type { Path, Position } from '../../core/finding.ts';
import { makeLocator, sentence, yamlError } from './errors.ts';

/** Of a scalar only its start in the text, because a text may have millions of them. */
type Place = number | Collection;

/** Aliases share the children of their target. */
interface Collection {
  readonly start: number;
  /** Of a list. */
  readonly items: readonly Place[];
  /** Of a mapping. */
  readonly members: ReadonlyMap<string, Place> | undefined;
  /** Values in it, itself included. */
  readonly values: number;
  /** Levels below it. */
  readonly height: number;
}

/** Number of values after the expansion of all aliases: the number that a reader walks. */
export const maxValues = 2_000_000;
/** Of collections in collections; deeper input is not meant for any reader here. */
export const maxDepth = 64;
/** The same after every alias is replaced. */
const maxHeight = 2 * maxDepth;

/** What is around a value. */
interface Parent {
  readonly isMapping: boolean;
  readonly start: number;
  /** Collections around its children; the document is one. */
  readonly depth: number;
}

interface Reader {
  readonly text: string;
  readonly events: readonly Event[];
  at: number;
  readonly anchors: Map<string, Place>;
}

/**
 * The place of the document's value; undefined for an empty text.
 * @throws FormatError with a position
 */
export function readPlaces(text: string, events: readonly Event[]): Place | undefined {
  const at = events.findIndex(({ type }) => type === EVENT_ID.DOCUMENT) + 1;
  const reader: Reader = { text, events, at, anchors: new Map() };
  const { items } = readChildren(reader, { isMapping: false, start: 0, depth: 1 });
  if (events.findLastIndex(({ type }) => type === EVENT_ID.DOCUMENT) < reader.at) return items[0];
  throw new FormatError('The YAML file contains more than one document', {
    hint: 'split the file at the lines with ---',
  });
}

/** Recursion is bounded by `maxDepth`. */
function readChildren(reader: Reader, parent: Parent): Collection {
  const { start, depth } = parent;
  const items: Place[] = [];
  const members = parent.isMapping ? new Map<string, Place>() : undefined;
  let values = 1;
  let height = 0;
  for (let event = nextEvent(reader); event !== undefined; event = nextEvent(reader)) {
    const key = parent.isMapping ? readKey(reader, event, parent) : undefined;
    const valueEvent = key === undefined ? event : nextEvent(reader);
    if (valueEvent === undefined) break;
    const child = readValue(reader, valueEvent, parent, key?.start);
    if (key === undefined) items.push(child);
    else members?.set(key.name, child);
    values += typeof child === 'number' ? 1 : child.values;
    height = Math.max(height, typeof child === 'number' ? 1 : child.height + 1);
    if (values <= maxValues && height + depth <= maxHeight) continue;
    throw yamlError(reader.text, sentence('its aliases expand to too much data'), startOf(child));
  }
  // The copy has no spare room, which would take most of the memory of short lists.
  return { start, items: items.slice(), members, values, height };
}

function startOf(place: Place): number {
  return typeof place === 'number' ? place : place.start;
}

type ValueEvent = Exclude<Event, { type: typeof EVENT_ID.POP | typeof EVENT_ID.DOCUMENT }>;

/** Undefined at the end of a collection. */
export function nextEvent(reader: Pick<Reader, 'at' | 'events'>): ValueEvent | undefined {
  const event = reader.events[reader.at];
  reader.at += 1;
  const isEnd = event === undefined || event.type === EVENT_ID.POP || event.type === EVENT_ID.DOCUMENT;
  return isEnd ? undefined : event;
}

export type ScalarEvent = Extract<Event, { type: typeof EVENT_ID.SCALAR }>;
type AliasEvent = Extract<Event, { type: typeof EVENT_ID.ALIAS }>;

function readValue(reader: Reader, event: ValueEvent, parent: Parent, keyStart: number | undefined): Place {
  const { text, anchors } = reader;
  const anchor = text.slice(event.anchorStart, event.anchorEnd);
  if (event.type === EVENT_ID.ALIAS) return readAlias(text, event, anchors.get(anchor));
  checkTag(text, event);
  const start = shownStart(event, parent, keyStart);
  // Until it is complete nothing may refer to it.
  if (event.anchorStart >= 0) anchors.delete(anchor);
  if (event.type === EVENT_ID.SCALAR) checkNumber(text, event);
  const value =
    event.type === EVENT_ID.SCALAR
      ? start
      : readChildren(reader, { isMapping: event.type === EVENT_ID.MAPPING, start, depth: parent.depth + 1 });
  if (event.anchorStart >= 0) anchors.set(anchor, value);
  return value;
}

function readKey(
  reader: Reader,
  event: ValueEvent,
  parent: Parent,
): { readonly name: string; readonly start: number } {
  const { text } = reader;
  if (event.type !== EVENT_ID.SCALAR) {
    const offset = event.type === EVENT_ID.ALIAS ? event.anchorStart - 1 : event.start;
    throw yamlError(text, sentence('a key must be a plain string'), offset);
  }
  const start = startOf(readValue(reader, event, parent, undefined));
  return { name: getScalarValue(text, event), start };
}

/** A value that begins on a later line than its key is shown at the key, an item that is empty at its list. */
function shownStart(
  event: Exclude<ValueEvent, AliasEvent>,
  parent: Parent,
  keyStart: number | undefined,
): number {
  if (event.type !== EVENT_ID.SCALAR) {
    return event.style === COLLECTION_STYLE.FLOW ? event.start : (keyStart ?? event.start);
  }
  if (event.style === SCALAR_STYLE.PLAIN && event.valueStart >= 0) return event.valueStart;
  if (event.style === SCALAR_STYLE.SINGLE_QUOTED || event.style === SCALAR_STYLE.DOUBLE_QUOTED) {
    return event.valueStart - 1;
  }
  return keyStart ?? (event.valueStart < 0 ? parent.start : event.valueStart);
}

function readAlias(text: string, event: AliasEvent, target: Place | undefined): Place {
  const offset = event.anchorStart - 1;
  if (target !== undefined) return typeof target === 'number' ? offset : { ...target, start: offset };
  const message = sentence('an alias must refer to a complete value before it');
  const hint = 'put the value in quotes if it is text that starts with *';
  throw yamlError(text, message, offset, hint);
}

function checkTag(text: string, event: Exclude<ValueEvent, AliasEvent>): void {
  if (event.tagStart < 0 || text.slice(event.tagStart, event.tagEnd) === '!!str') return;
  const hint = 'remove the tag, or put the value in quotes if it is text that starts with !';
  throw yamlError(text, sentence('tags are not supported'), event.tagStart, hint);
}

function checkNumber(text: string, event: ScalarEvent): void {
  if (event.style !== SCALAR_STYLE.PLAIN || event.tagStart >= 0 || event.valueStart < 0) return;
  const first = text.charCodeAt(event.valueStart);
  if (first > digit9 || first < plus) return;
  const written = text.slice(event.valueStart, event.valueEnd);
  if (isFaithful(written)) return;
  const message = 'The YAML file contains a number that cannot be read exactly as written';
  const hint = 'quote it if it is a string; otherwise write it in plain decimal digits, or as 0o… or 0x…';
  throw yamlError(text, message, event.valueStart, hint);
}

/** Everything that can begin a number is from `+` to `9`. */
const plus = 0x2b;
const digit9 = 0x39;

/** Finds the deepest value on the path that exists; undefined only for an empty text. */
export function makeLocate(text: string, root: Place | undefined): (path: Path) => Position | undefined {
  if (root === undefined) return () => undefined;
  const positionOf = makeLocator(text);
  return (path) => {
    let place = root;
    for (const step of path) {
      if (typeof place === 'number') break;
      const child = typeof step === 'number' ? place.items[step] : place.members?.get(step);
      if (child === undefined) break;
      place = child;
    }
    return positionOf(startOf(place));
  };
}

/** Versions, identifiers and file modes look like numbers and lose digits when they are taken for numbers. */
function isFaithful(written: string): boolean {
  if (decimal.test(written) || octalOrHex.test(written)) return Number.isSafeInteger(Number(written));
  if (float.test(written)) return String(Number(written)) === written.replace(/^\+/, '');
  return !disputed.test(written);
}

const decimal = /^[-+]?(?:0|[1-9][0-9]*)$/;
const octalOrHex = /^0(?:o[0-7]+|x[0-9a-fA-F]+)$/;
const float = /^[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?$/;
/** Numbers for some YAML readers and text for others. */
const disputed = /^(?:[-+]0[ox][0-9a-fA-F]+|[-+]?0b[01]+)$/;
