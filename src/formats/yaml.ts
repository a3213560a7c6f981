/**
 * YAML 1.2 with the core schema, read by js-yaml and made safe for hostile and for careless input; a JSON document is
 * YAML too. Refused, though YAML has them: several documents in one text, tags other than `!!str`, keys that are no
 * scalars, aliases that go round in circles or blow up, and numbers that would not come out as they are written
 * (`0755`, `4.20`, `1e3`). Merge keys (`<<`) are ordinary keys, as YAML 1.2 has none.
 *
 * js-yaml is not needed by most commands: import this file only where YAML is read.
 */

import { constructFromEvents } from 'js-yaml';
import { FormatError } from '../core/errors.ts';
import type { Path, Position } from '../core/finding.ts';
import { explainedError, sentence, yamlError } from './yaml/errors.ts';
import { readEvents } from './yaml/events.ts';
import { type LocateInText, makeLocateInText } from './yaml/innerPlaces.ts';
import { makeLocate, MAX_VALUES, readPlaces } from './yaml/places.ts';

export interface ParsedYaml {
  /** Plain objects, lists, strings, numbers, booleans and null; null for an empty text. */
  readonly value: unknown;
  /** Position of the deepest existing value on the path; undefined only for an empty text. */
  readonly locate: (path: Path) => Position | undefined;
  /** Position of a place in a text that is a block (`|`, `>`). */
  readonly locateInText: LocateInText;
}

/**
 * Reads one document.
 * @throws FormatError that ends in line and column
 */
export function parseYaml(text: string): ParsedYaml {
  refuseLarge(text);
  try {
    const events = readEvents(text);
    // What can find places must not keep the events alive, which take some fifteen times the text.
    const locate = makeLocate(text, readPlaces(text, events));
    const [value = null]: readonly unknown[] = constructFromEvents(events, { source: text });
    return { value, locate, locateInText: makeLocateInText(text) };
  } catch (error) {
    throw error instanceof FormatError ? error : explainedError(text, error);
  }
}

/**
 * Memory is taken for each value before anything else can be checked. Each but the first is behind a line break, a
 * bracket, a comma, or a dash or question mark with a blank.
 * @throws FormatError with a position
 */
export function refuseLarge(text: string): void {
  if (text.length <= MAX_VALUES) return;
  let count = 0;
  for (const { index } of text.matchAll(/[\n\r,[{]|[-?][ \t]/g)) {
    count += 1;
    if (count <= MAX_VALUES) continue;
    const message = sentence('it contains too many lines and values');
    throw yamlError(text, message, index, 'split it into several files');
  }
}
