/**
 * TOML 1.0, parsed by toml-eslint-parser, with the position of each key. The parser is as strict as podman's parser (no byte
 * order mark, no features of TOML 1.1) and returns the position of every value.
 *
 * It is not needed by most commands: the build keeps it in a file of its own.
 */

import { type AST, getStaticTOMLValue, ParseError, parseTOML } from 'toml-eslint-parser';
import { FormatError, type Position } from '../core/errors.ts';
import type { Path } from '../core/finding.ts';
import { lineColumns } from './lineColumns.ts';

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
    const places: Places = new Map();
    for (const item of program.body[0].body) notePlaces(item, [], places);
    const positionOf = lineColumns(text);
    const locate = (path: Path): Position | undefined => {
      const offset = findPlace(path, places);
      return offset === undefined ? undefined : positionOf(offset);
    };
    return { value, locate };
  } catch (error) {
    if (error instanceof RangeError)
      throw new TomlError('contains too many levels or a string that is too long', start);
    if (!(error instanceof ParseError)) throw error;
    throw new TomlError(
      `is not TOML: ${error.message.charAt(0).toLowerCase()}${error.message.slice(1)}`,
      lineColumns(text)(error.index),
    );
  }
}

/** Offsets by path as JSON. */
type Places = Map<string, number>;

function notePlaces(item: AST.TOMLTable | AST.TOMLKeyValue, parent: Path, places: Places): void {
  const starts = item.key.keys.map(({ range }) => range[0]);
  if (item.type === 'TOMLTable') {
    const { resolvedKey } = item;
    // An index is where the name before it is.
    let named = -1;
    noteSteps(
      resolvedKey,
      resolvedKey.map((step) => starts[typeof step === 'string' ? ++named : named]),
      places,
    );
    for (const member of item.body) notePlaces(member, resolvedKey, places);
    return;
  }
  const path = [...parent, ...item.key.keys.map((key) => (key.type === 'TOMLBare' ? key.name : key.value))];
  noteSteps(path, [...parent.map(() => undefined), ...starts], places);
  noteValue(item.value, path, places);
}

function noteValue(value: AST.TOMLContentNode, path: Path, places: Places): void {
  if (path.length > MAX_NOTED_DEPTH) return;
  if (value.type === 'TOMLInlineTable') for (const member of value.body) notePlaces(member, path, places);
  if (value.type !== 'TOMLArray') return;
  for (const [index, element] of value.elements.entries()) {
    noteSteps([...path, index], [...path.map(() => undefined), element.range[0]], places);
    noteValue(element, [...path, index], places);
  }
}

/** Deeper than any file that is read here; what is below has the place of what is above. */
const MAX_NOTED_DEPTH = 16;

/** Each path is where it is first written. */
function noteSteps(path: Path, starts: readonly (number | undefined)[], places: Places): void {
  for (const [index, start] of starts.slice(0, MAX_NOTED_DEPTH).entries()) {
    const key = JSON.stringify(path.slice(0, index + 1));
    if (start !== undefined && !places.has(key)) places.set(key, start);
  }
}

function findPlace(path: Path, places: Places): number | undefined {
  for (let length = path.length; length > 0; length--) {
    const place = places.get(JSON.stringify(path.slice(0, length)));
    if (place !== undefined) return place;
  }
  return undefined;
}
