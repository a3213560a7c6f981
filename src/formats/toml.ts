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
    const places = new Map<string, number>();
    for (const [path, offset] of program.body[0].body.flatMap((item) => placesOf(item, []))) {
      const key = JSON.stringify(path);
      if (!places.has(key)) places.set(key, offset); // each path is where it is first written
    }
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

/** Deeper than any file that is read here; what is below has the place of what is above. */
const MAX_NOTED_DEPTH = 16;

type Place = readonly [path: Path, offset: number];

/** Where the keys of a table or an assignment are, and those of the values in it. */
function placesOf(item: AST.TOMLTable | AST.TOMLKeyValue, parent: Path): Place[] {
  const { keys } = item.key;
  if (item.type === 'TOMLTable') {
    const { body, resolvedKey } = item;
    // An index is where the name before it is.
    let named = -1;
    const ends = resolvedKey.map((step) => keys[typeof step === 'string' ? ++named : named]?.range[0] ?? 0);
    return [...prefixesOf(resolvedKey, ends), ...body.flatMap((member) => placesOf(member, resolvedKey))];
  }
  const names = keys.map((key) => (key.type === 'TOMLBare' ? key.name : key.value));
  const starts = keys.map(({ range }) => range[0]);
  return [
    ...prefixesOf(names, starts).map(([path, offset]): Place => [[...parent, ...path], offset]),
    ...placesIn(item.value, [...parent, ...names]),
  ];
}

/** The places of all beginnings of a path. */
function prefixesOf(path: Path, starts: readonly number[]): Place[] {
  const noted = starts.slice(0, MAX_NOTED_DEPTH);
  return noted.map((offset, index) => [path.slice(0, index + 1), offset]);
}

function placesIn(value: AST.TOMLContentNode, path: Path): Place[] {
  if (path.length > MAX_NOTED_DEPTH) return [];
  if (value.type === 'TOMLInlineTable') return value.body.flatMap((member) => placesOf(member, path));
  if (value.type !== 'TOMLArray') return [];
  return value.elements.flatMap((element, index): Place[] => {
    const own = [...path, index];
    return [[own, element.range[0]], ...placesIn(element, own)];
  });
}

function findPlace(path: Path, places: ReadonlyMap<string, number>): number | undefined {
  const known = path.map((_, index) => places.get(JSON.stringify(path.slice(0, index + 1))));
  return known.findLast((place) => place !== undefined);
}
