/**
 * The positions of the values of a YAML text, compact enough for millions of values: read from the events of js-yaml, with
 * the checks that report a position.
 */

import { COLLECTION_STYLE, type Event, EVENT_ID, getScalarValue, SCALAR_STYLE } from 'js-yaml';
import { FormatError } from '../../core/errors.ts';
import type { Path, Position } from '../../core/finding.ts';
import { makeLocator, sentence, yamlError } from './errors.ts';

/** What is needed to find values again: four numbers for each, those of one collection's children in a row. */
interface Places {
  /** Its start in the text, its key (or `noKey`), the index of its first child here, and how many children there are. */
  numbers: Int32Array;
  /** How many of the numbers are in use. */
  used: number;
  /** Names of keys to their numbers. */
  readonly keys: Map<string, number>;
}

/** Number of values after the expansion of all aliases: the number that a reader walks. */
export const MAX_VALUES = 2_000_000;
/** Of collections in collections; deeper input is not meant for any reader here. */
export const MAX_DEPTH = 64;
/** The same after every alias is replaced. */
const MAX_HEIGHT = 2 * MAX_DEPTH;

const NUMBERS_OF_VALUE = 4;
/** Of items of a list. */
const NO_KEY = -1;

/** State during reading. Aliases share the children of their target. */
interface Value {
  readonly start: number;
  readonly firstChild: number;
  readonly childCount: number;
  /** Values in it, itself included. */
  readonly values: number;
  /** Levels below it. */
  readonly height: number;
}

/** What is around a value. */
interface Parent {
  readonly isMapping: boolean;
  readonly start: number;
  /** Collections around its children; the document is one. */
  readonly depth: number;
}

interface Key {
  readonly number: number;
  readonly start: number | undefined;
}

interface Reader {
  readonly text: string;
  readonly events: readonly Event[];
  at: number;
  readonly places: Places;
  readonly anchors: Map<string, Value>;
}

interface DocumentPlaces extends Places {
  /** A list of the value of the document, or of nothing. */
  readonly document: Value;
}

/** @throws FormatError with a position */
export function readPlaces(text: string, events: readonly Event[]): DocumentPlaces {
  const places: Places = { numbers: new Int32Array(1024), used: 0, keys: new Map() };
  const starts: number[] = [];
  for (const [index, { type }] of events.entries()) if (type === EVENT_ID.DOCUMENT) starts.push(index + 1);
  const [at = 0, ofAnother] = starts;
  const reader: Reader = { text, events, at, places, anchors: new Map() };
  const document = readChildren(reader, { isMapping: false, start: 0, depth: 1 });
  if (ofAnother === undefined) return { ...places, document };
  throw new FormatError('The YAML file contains more than one document', {
    hint: 'split the file at the lines with ---',
  });
}

/** Recursion is bounded by `maxDepth`. */
function readChildren(reader: Reader, parent: Parent): Value {
  const { start, depth } = parent;
  const children: number[] = [];
  let values = 1;
  let height = 0;
  for (let event = nextEvent(reader); event !== undefined; event = nextEvent(reader)) {
    const key = parent.isMapping ? readKey(reader, event, parent) : undefined;
    const valueEvent = key === undefined ? event : nextEvent(reader);
    if (valueEvent === undefined) break;
    const child = readValue(reader, valueEvent, parent, key?.start);
    children.push(child.start, key?.number ?? NO_KEY, child.firstChild, child.childCount);
    values += child.values;
    height = Math.max(height, child.height + 1);
    if (values <= MAX_VALUES && height + depth <= MAX_HEIGHT) continue;
    const message = sentence('its aliases expand to too much data');
    throw yamlError(reader.text, message, child.start);
  }
  const firstChild = addNumbers(reader.places, children);
  return { start, firstChild, childCount: children.length / NUMBERS_OF_VALUE, values, height };
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

function readValue(reader: Reader, event: ValueEvent, parent: Parent, keyStart: number | undefined): Value {
  const { text, anchors } = reader;
  const anchor = text.slice(event.anchorStart, event.anchorEnd);
  if (event.type === EVENT_ID.ALIAS) return readAlias(text, event, anchors.get(anchor));
  if (event.tagStart >= 0 && text.slice(event.tagStart, event.tagEnd) !== '!!str') {
    const hint = 'remove the tag, or put the value in quotes if it is text that starts with !';
    throw yamlError(text, sentence('tags are not supported'), event.tagStart, hint);
  }
  const start = startOf(event, parent, keyStart);
  // Until it is complete nothing may refer to it.
  if (event.anchorStart >= 0) anchors.delete(anchor);
  if (event.type === EVENT_ID.SCALAR) checkNumber(text, event);
  const value =
    event.type === EVENT_ID.SCALAR
      ? { start, firstChild: 0, childCount: 0, values: 1, height: 0 }
      : readChildren(reader, { isMapping: event.type === EVENT_ID.MAPPING, start, depth: parent.depth + 1 });
  if (event.anchorStart >= 0) anchors.set(anchor, value);
  return value;
}

function readKey(reader: Reader, event: ValueEvent, parent: Parent): Key {
  const { text, places } = reader;
  if (event.type !== EVENT_ID.SCALAR) {
    const offset = event.type === EVENT_ID.ALIAS ? event.anchorStart - 1 : event.start;
    throw yamlError(text, sentence('a key must be a plain string'), offset);
  }
  const { start } = readValue(reader, event, parent, undefined);
  const name = getScalarValue(text, event);
  const number = places.keys.get(name) ?? places.keys.size;
  places.keys.set(name, number);
  return { number, start };
}

/** A value that begins on a later line than its key is shown at the key, an item that is empty at its list. */
function startOf(
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

function readAlias(text: string, event: AliasEvent, target: Value | undefined): Value {
  const offset = event.anchorStart - 1;
  if (target !== undefined) return { ...target, start: offset };
  const message = sentence('an alias must refer to a complete value before it');
  const hint = 'put the value in quotes if it is text that starts with *';
  throw yamlError(text, message, offset, hint);
}

/** Gives the index of the first. */
function addNumbers(places: Places, numbers: readonly number[]): number {
  const first = places.used;
  const end = first + numbers.length;
  if (end > places.numbers.length) {
    const larger = new Int32Array(Math.max(end, places.numbers.length * 2));
    larger.set(places.numbers);
    places.numbers = larger;
  }
  places.numbers.set(numbers, first);
  places.used = end;
  return first;
}

function checkNumber(text: string, event: ScalarEvent): void {
  if (event.style !== SCALAR_STYLE.PLAIN || event.tagStart >= 0 || event.valueStart < 0) return;
  const first = text.charCodeAt(event.valueStart);
  if (first > DIGIT9 || first < PLUS) return;
  const written = text.slice(event.valueStart, event.valueEnd);
  if (isFaithful(written)) return;
  const message = 'The YAML file contains a number that cannot be read exactly as written';
  const hint = 'quote it if it is a string; otherwise write it in plain decimal digits, or as 0o… or 0x…';
  throw yamlError(text, message, event.valueStart, hint);
}

/** Everything that can begin a number is from `+` to `9`. */
const PLUS = 0x2b;
const DIGIT9 = 0x39;

/** Finds the deepest value on the path that exists; undefined only for an empty text. */
export function makeLocate(text: string, places: DocumentPlaces): (path: Path) => Position | undefined {
  const { numbers, document } = places;
  if (document.childCount === 0) return () => undefined;
  const positionOf = makeLocator(text);
  const indexes: KeyIndexes = new Map();
  return (path) => {
    let place = document.firstChild;
    for (const step of path) {
      const child = findChild(places, indexes, place, step);
      if (child === undefined) break;
      place = child;
    }
    return positionOf(numbers[place]!);
  };
}

/** Mappings with more keys are looked through once, and then known. */
const FEW_KEYS = 32;

/** For each known mapping, by the index of its first child: the indexes of its children by the numbers of their keys. */
type KeyIndexes = Map<number, Map<number, number>>;

/** The child of a value at a step of a path. Values are indexes of their numbers; undefined if there is no such child. */
function findChild(
  { keys, numbers }: Places,
  indexes: KeyIndexes,
  place: number,
  step: string | number,
): number | undefined {
  const firstChild = numbers[place + 2]!;
  const childCount = numbers[place + 3]!;
  if (typeof step === 'number') {
    const child = firstChild + step * NUMBERS_OF_VALUE;
    return step >= 0 && step < childCount && numbers[child + 1] === NO_KEY ? child : undefined;
  }
  const key = keys.get(step);
  if (key === undefined) return undefined;
  const end = firstChild + childCount * NUMBERS_OF_VALUE;
  if (childCount > FEW_KEYS) {
    let index = indexes.get(firstChild);
    if (index === undefined) {
      index = new Map();
      for (let child = firstChild; child < end; child += NUMBERS_OF_VALUE)
        index.set(numbers[child + 1]!, child);
      indexes.set(firstChild, index);
    }
    return index.get(key);
  }
  for (let child = firstChild; child < end; child += NUMBERS_OF_VALUE) {
    if (numbers[child + 1] === key) return child;
  }
  return undefined;
}

/** Versions, identifiers and file modes look like numbers and lose digits when they are taken for numbers. */
function isFaithful(written: string): boolean {
  if (DECIMAL.test(written) || OCTAL_OR_HEX.test(written)) return Number.isSafeInteger(Number(written));
  if (FLOAT.test(written)) return String(Number(written)) === written.replace(/^\+/, '');
  return !DISPUTED.test(written);
}

const DECIMAL = /^[-+]?(?:0|[1-9][0-9]*)$/;
const OCTAL_OR_HEX = /^0(?:o[0-7]+|x[0-9a-fA-F]+)$/;
const FLOAT = /^[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?$/;
/** Numbers for some YAML readers and text for others. */
const DISPUTED = /^(?:[-+]0[ox][0-9a-fA-F]+|[-+]?0b[01]+)$/;
