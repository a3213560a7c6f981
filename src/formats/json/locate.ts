/**
 * Finds values in a JSON text: paths to byte offsets, and offsets to lines and columns, by the rules of Ignition's vcontext.
 * The search runs on demand, in one walk for all paths, so texts without findings need no search. The text is valid
 * (`syntax.ts`).
 */

import type { Path, Position } from '../../core/finding.ts';
import type { Span, TextNode } from '../textNode.ts';
import {
  BACKSLASH,
  itemsAt,
  membersAt,
  OPEN_BRACE,
  OPEN_BRACKET,
  QUOTE,
  readString,
  sequenceLength,
  skipToToken,
  skipValue,
} from './tokens.ts';

/**
 * For each path the offset of the deepest value on it that exists. An object or list starts just behind its bracket,
 * anything else at its first byte; of repeated keys the last counts, and keys have to match exactly.
 */
export function locatePaths(bytes: Buffer, paths: readonly Path[]): number[] {
  const root: Step = { next: new Map(), offset: undefined };
  const steps = paths.map((path) => addPath(root, path));
  locate(bytes, skipToToken(bytes, 0), root);
  return steps.map((trail) => trail.findLast((step) => step.offset !== undefined)?.offset ?? 0);
}

/**
 * Lines and columns of offsets: both count from 1, columns in bytes, a line feed ends a line. Undefined for an offset
 * at or behind the end.
 */
export function positionsOf(bytes: Uint8Array, offsets: readonly number[]): (Position | undefined)[] {
  const positions = new Map<number, Position>();
  let line = 1;
  let lineStart = 0;
  let lineEnd = endOfLine(bytes, 0);
  for (const offset of [...new Set(offsets)].toSorted((a, b) => a - b)) {
    if (offset >= bytes.length) break;
    while (offset > lineEnd) {
      line += 1;
      lineStart = lineEnd + 1;
      lineEnd = endOfLine(bytes, lineStart);
    }
    positions.set(offset, { line, column: offset - lineStart + 1 });
  }
  return offsets.map((offset) => positions.get(offset));
}

/** A step that some paths have in common. */
interface Step {
  readonly next: Map<string | number, Step>;
  offset: number | undefined;
}

function addPath(root: Step, path: Path): Step[] {
  const trail = [root];
  let step = root;
  for (const key of path) {
    let next = step.next.get(key);
    if (next === undefined) {
      next = { next: new Map(), offset: undefined };
      step.next.set(key, next);
    }
    trail.push(next);
    step = next;
  }
  return trail;
}

/** Recursion is as deep as the paths are long, not as the text is nested. */
function locate(bytes: Buffer, start: number, step: Step): void {
  const isObject = bytes[start] === OPEN_BRACE;
  const isList = bytes[start] === OPEN_BRACKET;
  step.offset = isObject || isList ? start + 1 : start;
  if (step.next.size === 0) return;
  if (isObject) {
    const found = new Map<Step, number>();
    for (const { name, valueStart } of membersAt(bytes, start)) {
      const next = step.next.get(name);
      if (next !== undefined) found.set(next, valueStart);
    }
    for (const [next, offset] of found) locate(bytes, offset, next);
  }
  if (!isList) return;
  let index = 0;
  for (const at of itemsAt(bytes, start)) {
    const next = step.next.get(index);
    if (next !== undefined) locate(bytes, at, next);
    index += 1;
  }
}

/** The offset of the next line feed, or of the end. */
export function endOfLine(bytes: Uint8Array, start: number): number {
  const end = bytes.indexOf(0x0a, start);
  return end === -1 ? bytes.length : end;
}

// The values of a JSON text with their places, in bytes. The text is known to be valid (`syntax.ts`).

/** The value of the whole text. All values of repeated keys are there, in the order in which they are written. */
export function readNodes(bytes: Buffer): TextNode {
  return nodeAt(bytes, skipToToken(bytes, 0));
}

function nodeAt(bytes: Buffer, start: number): TextNode {
  if (bytes[start] === OPEN_BRACE) return { kind: 'object', entries: () => entriesAt(bytes, start) };
  if (bytes[start] === OPEN_BRACKET) return { kind: 'list', items: () => itemNodes(bytes, start) };
  const end = skipValue(bytes, start);
  if (bytes[start] !== QUOTE) {
    const text = bytes.toString('latin1', start, end);
    return { kind: 'scalar', span: { start, end }, text, locate: (part) => shift(part, start) };
  }
  const span = { start: start + 1, end: end - 1 };
  const text = readString(bytes, start, end);
  const isPlain = text.length === span.end - span.start;
  return {
    kind: 'scalar',
    span,
    text,
    locate: isPlain ? (part) => shift(part, span.start) : locateEscaped(bytes, span),
  };
}

function* entriesAt(bytes: Buffer, start: number): Iterable<readonly [string, TextNode]> {
  for (const { name, valueStart } of membersAt(bytes, start)) yield [name, nodeAt(bytes, valueStart)];
}

function* itemNodes(bytes: Buffer, start: number): Iterable<TextNode> {
  for (const at of itemsAt(bytes, start)) yield nodeAt(bytes, at);
}

function shift({ start, end }: Span, by: number): Span {
  return { start: start + by, end: end + by };
}

/** For parts in their order, goes through the string once. */
function locateEscaped(bytes: Buffer, span: Span): (part: Span) => Span {
  const first: Reached = { at: span.start, units: 0 };
  let reached = first;
  return (part) => {
    const start = placeOf(bytes, part.start < reached.units ? first : reached, part.start);
    const end = placeOf(bytes, start, part.end);
    reached = start;
    return { start: start.at, end: Math.min(end.at, span.end) };
  };
}

interface Reached {
  readonly at: number;
  /** Number of UTF-16 code units of the decoded text before it. */
  readonly units: number;
}

/** The first byte of the code unit with this number. */
function placeOf(bytes: Buffer, { at: from, units: passed }: Reached, wanted: number): Reached {
  let at = from;
  let units = passed;
  while (units < wanted && at < bytes.length) {
    const byte = bytes[at] ?? 0;
    if (byte === BACKSLASH) at += bytes[at + 1] === LETTER_U ? UNICODE_ESCAPE : 2;
    else {
      const length = sequenceLength(bytes, at, bytes.length) || 1; // a byte that is not UTF-8 counts alone
      at += length;
      if (length === 4) units += 1; // two code units
    }
    units += 1;
  }
  return { at, units };
}

const LETTER_U = 0x75;
/** Bytes of an escape such as `\\u0041`. */
const UNICODE_ESCAPE = 6;
