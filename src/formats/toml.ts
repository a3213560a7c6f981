/**
 * TOML 1.0, parsed by toml-eslint-parser, with the position of each key. The parser is as strict as podman's parser (no byte
 * order mark, no features of TOML 1.1) and returns the position of every value.
 *
 * It is not needed by most commands: the build keeps it in a file of its own.
 */

import { type AST, getStaticTOMLValue, ParseError, parseTOML } from 'toml-eslint-parser';
import { FormatError } from '../core/errors.ts';
import type { Path, Position } from '../core/finding.ts';

export interface ParsedToml {
  /** A table as a plain object; below it tables, lists, strings, numbers, booleans and dates. */
  readonly value: object;
  /** Position of the key of the deepest existing value on the path; for an item of a list, the position of the item. */
  readonly locate: (path: Path) => Position | undefined;
}

/** The text is not TOML. `message` is a clause without a subject. */
export class TomlError extends FormatError {
  override readonly position: Position;

  constructor(message: string, position: Position) {
    super(message, {
      hint: 'fix the line; put strings in double quotes: location = "registry.example.com"',
    });
    this.position = position;
  }
}

/** The parser takes memory for each token, and stack for each level and for long texts. */
const MAX_LENGTH = 1024 * 1024;

/** @throws TomlError */
export function parseToml(text: string): ParsedToml {
  const start = { line: 1, column: 1 };
  if (text.length > MAX_LENGTH) throw new TomlError(`is longer than ${MAX_LENGTH} characters`, start);
  try {
    const program = parseTOML(text, { tomlVersion: '1.0' });
    const value = Object(getStaticTOMLValue(program));
    const noted: Noted = { places: new Map(), lines: text.split('\n') };
    for (const item of program.body[0].body) notePlaces(item, [], noted);
    return { value, locate: (path) => locate(path, noted.places) };
  } catch (error) {
    if (error instanceof RangeError)
      throw new TomlError('contains too many levels or a string that is too long', start);
    if (!(error instanceof ParseError)) throw error;
    const position = toPosition({ line: error.lineNumber, column: error.column }, text.split('\n'));
    throw new TomlError(
      `is not TOML: ${error.message.charAt(0).toLowerCase()}${error.message.slice(1)}`,
      position,
    );
  }
}

interface Noted {
  /** By path as JSON. */
  readonly places: Map<string, Position>;
  readonly lines: readonly string[];
}

function notePlaces(item: AST.TOMLTable | AST.TOMLKeyValue, parent: Path, noted: Noted): void {
  const starts = item.key.keys.map(({ loc }) => loc.start);
  if (item.type === 'TOMLTable') {
    const { resolvedKey } = item;
    // An index is where the name before it is.
    let named = -1;
    noteSteps(
      resolvedKey,
      resolvedKey.map((step) => starts[typeof step === 'string' ? ++named : named]),
      noted,
    );
    for (const member of item.body) notePlaces(member, resolvedKey, noted);
    return;
  }
  const path = [...parent, ...item.key.keys.map((key) => (key.type === 'TOMLBare' ? key.name : key.value))];
  noteSteps(path, [...parent.map(() => undefined), ...starts], noted);
  noteValue(item.value, path, noted);
}

function noteValue(value: AST.TOMLContentNode, path: Path, noted: Noted): void {
  if (path.length > MAX_NOTED_DEPTH) return;
  if (value.type === 'TOMLInlineTable') for (const member of value.body) notePlaces(member, path, noted);
  if (value.type !== 'TOMLArray') return;
  for (const [index, element] of value.elements.entries()) {
    noteSteps([...path, index], [...path.map(() => undefined), element.loc.start], noted);
    noteValue(element, [...path, index], noted);
  }
}

/** Deeper than any file that is read here; what is below has the place of what is above. */
const MAX_NOTED_DEPTH = 16;

/** Each path is where it is first written. */
function noteSteps(path: Path, starts: readonly (Position | undefined)[], { lines, places }: Noted): void {
  for (const [index, start] of starts.slice(0, MAX_NOTED_DEPTH).entries()) {
    const key = JSON.stringify(path.slice(0, index + 1));
    if (start !== undefined && !places.has(key)) places.set(key, toPosition(start, lines));
  }
}

/** From a column in characters, from 0, to one in bytes, from 1. */
function toPosition({ line, column }: Position, lines: readonly string[]): Position {
  return { line, column: Buffer.byteLength((lines[line - 1] ?? '').slice(0, column)) + 1 };
}

function locate(path: Path, places: ReadonlyMap<string, Position>): Position | undefined {
  for (let length = path.length; length > 0; length--) {
    const place = places.get(JSON.stringify(path.slice(0, length)));
    if (place !== undefined) return place;
  }
  return undefined;
}
