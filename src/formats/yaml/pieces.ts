/**
 * A long list read in pieces, so that the events of js-yaml, which take some fifteen times the text, are not all there at
 * once. That is possible for one kind of document only: a mapping whose last value is a block list, as an inventory is.
 * Everything else, and whatever is unusual or wrong about such a document, is left to the reader of whole documents.
 */

import {
  COLLECTION_STYLE,
  constructFromEvents,
  EVENT_ID,
  type Event,
  getScalarValue,
  parseEvents,
  YAMLException,
} from 'js-yaml';
import { FormatError } from '../../core/errors.ts';
import { maxDepth, type Places, startWalk, type Walk, walkEvents } from './places.ts';

export interface ReadDocument {
  readonly value: unknown;
  readonly places: Places;
}

/** Characters of a piece; shorter texts are not worth it. */
const pieceLength = 64 * 1024;

/** Undefined where the text is not of that kind, or has a mistake. */
export function readInPieces(text: string): ReadDocument | undefined {
  const seams = text.length > pieceLength ? findSeams(text) : [];
  if (seams.length < 2) return undefined;
  try {
    return readList(text, seams);
  } catch (error) {
    // With the whole text before it, it may be right, or is told with its place.
    if (error instanceof FormatError || error instanceof YAMLException) return undefined;
    throw error;
  }
}

/** Where pieces begin: at items of the list below the last key at the start of a line, and at the end of the text. */
function findSeams(text: string): number[] {
  if (/\r(?!\n)/.test(text)) return []; // which ends a line, too
  const lines = [...linesOf(text)];
  const key = lines.findLastIndex((start) => /[^\s#-]/.test(text.charAt(start)));
  const below = lines.slice(key + 1).filter((start) => !isBlank(text, start));
  const [first = text.length] = below;
  const indent = indentOf(text, first);
  const seams: number[] = [];
  for (const start of below) {
    if (indentOf(text, start) > indent) continue;
    if (indentOf(text, start) < indent || !/^-\s/.test(text.slice(start + indent, start + indent + 2)))
      return [];
    if (start - (seams.at(-1) ?? -pieceLength) >= pieceLength) seams.push(start);
  }
  return [...seams, text.length];
}

function* linesOf(text: string): Generator<number> {
  for (let start = 0; start < text.length;) {
    yield start;
    const end = text.indexOf('\n', start);
    start = end < 0 ? text.length : end + 1;
  }
}

function indentOf(text: string, start: number): number {
  let at = start;
  while (text.charAt(at) === ' ') at += 1;
  return at - start;
}

/** Of comments, too. */
function isBlank(text: string, start: number): boolean {
  return /[\r\n#]/.test(text.charAt(start + indentOf(text, start)) || '\n');
}

function readList(text: string, seams: readonly number[]): ReadDocument | undefined {
  const [first = 0] = seams;
  const head = text.slice(0, first);
  const events = parseEvents(head, { maxDepth });
  const key = lastKey(head, events);
  const [value] = constructFromEvents(events, { source: head });
  if (key === undefined || typeof value !== 'object' || value === null) return undefined;
  const walk = startWalk();
  walkEvents(walk, [...events.slice(0, -3), listEvent], { text: head, base: 0 });
  const items: unknown[] = [];
  for (const [index, end] of seams.slice(1).entries()) {
    const base = seams[index] ?? 0;
    const more = readPiece(walk, text.slice(base, end), base);
    if (more === undefined) return undefined;
    for (const item of more) items.push(item);
  }
  walkEvents(walk, [listEnd, ...events.slice(-2)], { text: head, base: 0 });
  Object.defineProperty(value, key, { value: items, configurable: true, enumerable: true, writable: true });
  return { value, places: walk.places };
}

/** Of a mapping at the start of the line, if it has no value: nothing but comments is behind its colon. */
function lastKey(head: string, events: readonly Event[]): string | undefined {
  const [document, mapping] = events;
  const [key, value, end, last] = events.slice(-4);
  if (document?.type !== EVENT_ID.DOCUMENT || mapping?.type !== EVENT_ID.MAPPING) return undefined;
  if (key?.type !== EVENT_ID.SCALAR || value?.type !== EVENT_ID.SCALAR || value.valueStart >= 0)
    return undefined;
  if (end?.type !== EVENT_ID.POP || last?.type !== EVENT_ID.POP) return undefined;
  if (value.anchorStart >= 0 || value.tagStart >= 0 || key.anchorStart >= 0 || key.tagStart >= 0)
    return undefined;
  const isAtLineStart = key.valueStart === 0 || head.charAt(key.valueStart - 1) === '\n';
  const [behind = '', ...lines] = head.slice(key.valueEnd).split('\n');
  const isBare = /^:[ \t]*(?:[ \t]#.*)?\r?$/.test(behind) && lines.every((line) => isBlank(line, 0));
  return isAtLineStart && isBare ? getScalarValue(head, key) : undefined;
}

const noRange = { anchorStart: -1, anchorEnd: -1, tagStart: -1, tagEnd: -1 };
const listEvent = { type: EVENT_ID.SEQUENCE, start: 0, style: COLLECTION_STYLE.BLOCK, ...noRange };
const listEnd = { type: EVENT_ID.POP };

/** The items; the events between the start of the list and its end are those that the whole text has there. */
function readPiece(walk: Walk, text: string, base: number): readonly unknown[] | undefined {
  const events = parseEvents(text, { maxDepth: maxDepth - 1 });
  const [document, list] = events;
  const [end, last] = events.slice(-2);
  if (document?.type !== EVENT_ID.DOCUMENT || list?.type !== EVENT_ID.SEQUENCE) return undefined;
  if (end?.type !== EVENT_ID.POP || last?.type !== EVENT_ID.POP) return undefined;
  walkEvents(walk, events.slice(2, -2), { text, base });
  const [items]: readonly unknown[] = constructFromEvents(events, { source: text });
  return Array.isArray(items) ? items : undefined;
}
