/** Where the scalars of a YAML document are, and the places of parts of their texts. */

import type { DocumentNode, PlacedText, ScalarNode, Span } from '../documentTree.ts';

/** Of all scalars in their order, keys included: outside of them, a `#` begins a comment. */
export function* scalarSpans(node: DocumentNode): Generator<Span> {
  if (node.kind === 'scalar') yield contentOf(node);
  if (node.kind === 'sequence') for (const item of node.items) yield* scalarSpans(item);
  if (node.kind !== 'mapping') return;
  for (const { key, value } of node.entries) {
    yield contentOf(key);
    yield* scalarSpans(value);
  }
}

/** Without quotes, and without the line of the indicator of a block, on which there may be a comment. */
function contentOf({ block, end, start, style }: ScalarNode): Span {
  const quote = style === 'single-quoted' || style === 'double-quoted' ? 1 : 0;
  return { start: block?.contentStart ?? start + quote, end: end - quote };
}

/** The value of a string in double quotes on one line; of other scalars what is written, without quotes. */
export function placedText(source: string, node: ScalarNode): PlacedText {
  const { end, start: first } = contentOf(node);
  const written = source.slice(first, end);
  if (node.style !== 'double-quoted' || written.includes('\n')) {
    return { text: written, locate: ({ start, end }) => ({ start: first + start, end: first + end }) };
  }
  let reached: Reached = { at: first, units: 0 };
  const placeOf = (unit: number): number => {
    reached = advance(source, unit < reached.units ? { at: first, units: 0 } : reached, unit);
    return Math.min(reached.at, end);
  };
  return { text: node.text, locate: (part) => ({ start: placeOf(part.start), end: placeOf(part.end) }) };
}

/** A position in a text with escapes. */
interface Reached {
  readonly at: number;
  /** Code units of the decoded text before it. */
  readonly units: number;
}

/** The position of the code unit with this number. */
function advance(source: string, from: Reached, wanted: number): Reached {
  let { at, units } = from;
  for (; units < wanted && at < source.length; units += 1) {
    const escape = source[at] === '\\' ? (source[at + 1] ?? '') : undefined;
    at += escape === undefined ? 1 : (longEscapes.get(escape) ?? 2);
    if (escape === 'U') units += 1; // most of these are beyond the basic plane
  }
  return { at, units };
}

/** Characters of an escape, by its letter; all others have two. */
const longEscapes: ReadonlyMap<string, number> = new Map([
  ['x', 4],
  ['u', 6],
  ['U', 10],
]);
