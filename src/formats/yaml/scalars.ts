/** Where the scalars of a YAML document are, and the places of parts of their texts. */

import {
  type DocumentNode,
  locateWritten,
  type WrittenText,
  type ScalarNode,
  type Span,
} from '../documentTree.ts';

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
export function placedYamlText(source: string, node: ScalarNode): WrittenText {
  const span = contentOf(node);
  const written = source.slice(span.start, span.end);
  if (node.style !== 'double-quoted' || written.includes('\n')) {
    const locate = ({ start, end }: Span): Span => ({ start: span.start + start, end: span.start + end });
    return { text: written, locate };
  }
  const locate = locateWritten(span, (offset) => {
    const escape = source[offset] === '\\' ? (source[offset + 1] ?? '') : undefined;
    const length = escape === undefined ? 1 : (longEscapes.get(escape) ?? 2);
    return { length, units: escape === 'U' ? 2 : 1 }; // most of these are beyond the basic plane
  });
  return { text: node.text, locate };
}

/** Characters of an escape, by its letter; all others have two. */
const longEscapes: ReadonlyMap<string, number> = new Map([
  ['x', 4],
  ['u', 6],
  ['U', 10],
]);
