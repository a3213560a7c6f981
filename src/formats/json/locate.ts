/**
 * Where the values of a JSON text stand: paths to byte offsets, and offsets to lines and columns, by the rules of
 * Ignition's vcontext. Offsets are searched for on demand, in one walk for all paths, so that texts without findings
 * cost nothing. The text is known to be valid (`syntax.ts`).
 */

import type { Path, Position } from '../../core/finding.ts';
import {
  closeBrace,
  closeBracket,
  openBrace,
  openBracket,
  skipString,
  skipToToken,
  skipValue,
} from './tokens.ts';
import { readString } from './values.ts';

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
  const isObject = bytes[start] === openBrace;
  const isList = bytes[start] === openBracket;
  step.offset = isObject || isList ? start + 1 : start;
  if (step.next.size === 0) return;
  if (isObject) locateMembers(bytes, start + 1, step);
  else if (isList) locateItems(bytes, start + 1, step);
}

function locateMembers(bytes: Buffer, start: number, step: Step): void {
  const found = new Map<Step, number>();
  let at = skipToToken(bytes, start);
  while (bytes[at] !== closeBrace) {
    const keyEnd = skipString(bytes, at);
    const next = step.next.get(readString(bytes, at, keyEnd));
    at = skipToToken(bytes, keyEnd);
    if (next !== undefined) found.set(next, at);
    at = skipToToken(bytes, skipValue(bytes, at));
  }
  for (const [next, offset] of found) locate(bytes, offset, next);
}

function locateItems(bytes: Buffer, start: number, step: Step): void {
  let at = skipToToken(bytes, start);
  for (let index = 0; bytes[at] !== closeBracket; index += 1) {
    const next = step.next.get(index);
    if (next !== undefined) locate(bytes, at, next);
    at = skipToToken(bytes, skipValue(bytes, at));
  }
}

function endOfLine(bytes: Uint8Array, start: number): number {
  const end = bytes.indexOf(0x0a, start);
  return end === -1 ? bytes.length : end;
}
