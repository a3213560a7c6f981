/** Where the scalars of a YAML document are, and their texts. */

import type { Span } from '../../core/spans.ts';
import type { DocumentNode, ScalarNode, ScalarText } from '../documentTree.ts';

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

/** What is written, without quotes; the value of a string with escapes. */
export function yamlScalarText(source: string, node: ScalarNode): ScalarText {
  const span = contentOf(node);
  const written = source.slice(span.start, span.end);
  const isVerbatim = node.style !== 'double-quoted' || !written.includes('\\');
  return { text: isVerbatim ? written : node.text, span, isVerbatim };
}
