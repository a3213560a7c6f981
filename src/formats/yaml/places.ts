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
  /** Undefined for an empty text. */
  root: Value | undefined;
}

/** Number of values after the expansion of all aliases: the number that a reader walks. */
export const maxValues = 2_000_000;
/** Of collections in collections; deeper input is not meant for any reader here. */
export const maxDepth = 64;
/** The same after every alias is replaced. */
const maxHeight = 2 * maxDepth;

const numbersOfValue = 4;
/** Of items of a list. */
const noKey = -1;

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

/** A collection whose end has not been seen. */
interface Open {
  readonly kind: 'document' | 'sequence' | 'mapping';
  readonly start: number;
  readonly anchor: string | undefined;
  /** The numbers of its children. */
  readonly children: number[];
  values: number;
  height: number;
  key: Key | undefined;
}

interface Key {
  readonly number: number;
  readonly start: number;
}

/** Places while they are read. */
interface Walk {
  readonly text: string;
  readonly places: Places;
  readonly anchors: Map<string, Value>;
  readonly open: Open[];
  hasDocument: boolean;
}

/** @throws FormatError with a position */
export function readPlaces(text: string, events: readonly Event[]): Places {
  const places: Places = { numbers: new Int32Array(1024), used: 0, keys: new Map(), root: undefined };
  const walk: Walk = { text, places, anchors: new Map(), open: [], hasDocument: false };
  for (const event of events) {
    if (event.type === EVENT_ID.DOCUMENT) openDocument(walk);
    else if (event.type === EVENT_ID.POP) closeCollection(walk);
    else readValue(walk, event);
  }
  return places;
}

function openDocument(walk: Walk): void {
  if (walk.hasDocument) {
    throw new FormatError('The YAML file contains more than one document', {
      hint: 'split the file at the lines with ---',
    });
  }
  walk.hasDocument = true;
  walk.open.push(newOpen('document', 0, undefined));
}

function newOpen(kind: Open['kind'], start: number, anchor: string | undefined): Open {
  return { kind, start, anchor, children: [], values: 1, height: 0, key: undefined };
}

type ValueEvent = Exclude<Event, { type: typeof EVENT_ID.POP | typeof EVENT_ID.DOCUMENT }>;

function readValue(walk: Walk, event: ValueEvent): void {
  const parent = walk.open.at(-1);
  if (parent?.kind === 'mapping' && parent.key === undefined) parent.key = readKey(walk, event);
  else if (event.type === EVENT_ID.ALIAS) addChild(walk, readAlias(walk, event));
  else if (event.type === EVENT_ID.SCALAR) addChild(walk, readScalar(walk, event, parent?.key?.start));
  else openCollection(walk, event, parent?.key?.start);
}

type ScalarEvent = Extract<Event, { type: typeof EVENT_ID.SCALAR }>;
type AliasEvent = Extract<Event, { type: typeof EVENT_ID.ALIAS }>;

function readScalar(walk: Walk, event: ScalarEvent, keyStart: number | undefined): Value {
  checkTag(walk, event);
  checkNumber(walk.text, event);
  const start = startOf(walk, event, keyStart);
  const scalar = { start, firstChild: 0, childCount: 0, values: 1, height: 0 };
  const anchor = anchorOf(walk.text, event);
  if (anchor !== undefined) walk.anchors.set(anchor, scalar);
  return scalar;
}

function openCollection(
  walk: Walk,
  event: Exclude<ValueEvent, ScalarEvent | AliasEvent>,
  keyStart: number | undefined,
): void {
  checkTag(walk, event);
  const anchor = anchorOf(walk.text, event);
  // Until it is complete nothing may refer to it.
  if (anchor !== undefined) walk.anchors.delete(anchor);
  const kind = event.type === EVENT_ID.SEQUENCE ? 'sequence' : 'mapping';
  walk.open.push(newOpen(kind, startOf(walk, event, keyStart), anchor));
}

function readKey(walk: Walk, event: ValueEvent): Key {
  if (event.type !== EVENT_ID.SCALAR) {
    const offset = event.type === EVENT_ID.ALIAS ? event.anchorStart - 1 : event.start;
    throw yamlError(walk.text, { message: sentence('a key must be a plain string'), offset });
  }
  const { start } = readScalar(walk, event, undefined);
  const name = getScalarValue(walk.text, event);
  const { keys } = walk.places;
  const number = keys.get(name) ?? keys.size;
  if (number === keys.size) keys.set(name, number);
  return { number, start };
}

/** A value that begins on a later line than its key is shown at the key, an item that is empty at its list. */
function startOf(
  { open }: Walk,
  event: Exclude<ValueEvent, AliasEvent>,
  keyStart: number | undefined,
): number {
  if (event.type !== EVENT_ID.SCALAR) {
    return event.style === COLLECTION_STYLE.FLOW ? event.start : (keyStart ?? event.start);
  }
  if (event.style === SCALAR_STYLE.PLAIN && event.valueStart >= 0) return event.valueStart;
  if (event.style === SCALAR_STYLE.SINGLE_QUOTED || event.style === SCALAR_STYLE.DOUBLE_QUOTED) {
    return event.valueStart - 1;
  }
  return keyStart ?? (event.valueStart < 0 ? (open.at(-1)?.start ?? 0) : event.valueStart);
}

function anchorOf(text: string, event: Exclude<ValueEvent, AliasEvent>): string | undefined {
  return event.anchorStart < 0 ? undefined : text.slice(event.anchorStart, event.anchorEnd);
}

function readAlias(walk: Walk, event: AliasEvent): Value {
  const target = walk.anchors.get(walk.text.slice(event.anchorStart, event.anchorEnd));
  const offset = event.anchorStart - 1;
  if (target === undefined) {
    const message = sentence('an alias must refer to a complete value before it');
    const hint = 'put the value in quotes if it is text that starts with *';
    throw yamlError(walk.text, { message, offset, hint });
  }
  return { ...target, start: offset };
}

function checkTag(walk: Walk, event: Exclude<ValueEvent, AliasEvent>): void {
  if (event.tagStart < 0 || walk.text.slice(event.tagStart, event.tagEnd) === '!!str') return;
  const hint = 'remove the tag, or put the value in quotes if it is text that starts with !';
  throw yamlError(walk.text, { message: sentence('tags are not supported'), offset: event.tagStart, hint });
}

function addChild(walk: Walk, child: Value): void {
  const parent = walk.open.at(-1);
  if (parent === undefined) return;
  if (parent.kind === 'document') walk.places.root = child;
  parent.children.push(child.start, parent.key?.number ?? noKey, child.firstChild, child.childCount);
  parent.key = undefined;
  parent.values += child.values;
  parent.height = Math.max(parent.height, child.height + 1);
  if (parent.values <= maxValues && parent.height + walk.open.length <= maxHeight) return;
  throw yamlError(walk.text, {
    message: sentence('its aliases expand to too much data'),
    offset: child.start,
  });
}

function closeCollection(walk: Walk): void {
  const closed = walk.open.pop();
  if (closed === undefined || closed.kind === 'document') return;
  const { anchor, children, height, start, values } = closed;
  const firstChild = addNumbers(walk.places, children);
  const value = { start, firstChild, childCount: children.length / numbersOfValue, values, height };
  if (anchor !== undefined) walk.anchors.set(anchor, value);
  addChild(walk, value);
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
  if (first > digit9 || first < plus) return;
  const written = text.slice(event.valueStart, event.valueEnd);
  if (isFaithful(written)) return;
  throw yamlError(text, {
    message: 'The YAML file contains a number that cannot be read exactly as written',
    offset: event.valueStart,
    hint: 'quote it if it is a string; otherwise write it in plain decimal digits, or as 0o… or 0x…',
  });
}

/** Everything that can begin a number is from `+` to `9`. */
const plus = 0x2b;
const digit9 = 0x39;

/** Finds the deepest value on the path that exists; undefined only for an empty text. */
export function makeLocate(text: string, places: Places): (path: Path) => Position | undefined {
  const { numbers, root } = places;
  if (root === undefined) return () => undefined;
  const positionOf = makeLocator(text);
  const findMember = makeFindMember(places);
  return (path) => {
    let place: Place = root;
    for (const step of path) {
      const child = typeof step === 'number' ? findItem(places, place, step) : findMember(place, step);
      if (child === undefined) break;
      const [start, firstChild, childCount] = [numbers[child]!, numbers[child + 2]!, numbers[child + 3]!];
      place = { start, firstChild, childCount };
    }
    return positionOf(place.start);
  };
}

type Place = Pick<Value, 'start' | 'firstChild' | 'childCount'>;

/** The index of its numbers. */
function findItem({ numbers }: Places, { firstChild, childCount }: Place, index: number): number | undefined {
  const child = firstChild + index * numbersOfValue;
  return index >= 0 && index < childCount && numbers[child + 1] === noKey ? child : undefined;
}

/** Mappings with more keys are looked through once, and then known. */
const fewKeys = 32;

function makeFindMember({ keys, numbers }: Places): (place: Place, name: string) => number | undefined {
  const known = new Map<number, ReadonlyMap<number, number>>();
  const indexKeys = ({ firstChild, childCount }: Place): ReadonlyMap<number, number> => {
    const places = Array.from({ length: childCount }, (_, index) => firstChild + index * numbersOfValue);
    const index = new Map(places.map((child) => [numbers[child + 1] ?? noKey, child]));
    known.set(firstChild, index);
    return index;
  };
  return (place, name) => {
    const { firstChild, childCount } = place;
    const key = keys.get(name);
    if (key === undefined) return undefined;
    if (childCount > fewKeys) return (known.get(firstChild) ?? indexKeys(place)).get(key);
    const end = firstChild + childCount * numbersOfValue;
    for (let child = firstChild; child < end; child += numbersOfValue) {
      if (numbers[child + 1] === key) return child;
    }
    return undefined;
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
