/** The texts in a source: string literals and templates. */

import { parseAst } from 'rolldown/parseAst';
import { type Node, visit } from './importGraph.ts';

interface SourceText {
  readonly start: number;
  /** A template has `‹›` in place of each expression. */
  readonly text: string;
}

/** In the order of the syntax tree, without the names of imported modules. */
export function readTexts(source: string): readonly SourceText[] {
  const found: SourceText[] = [];
  visit(parseAst(source, { lang: 'ts' }), (node, role) => {
    const text = role === 'source' ? undefined : textOf(node);
    if (text !== undefined) found.push({ start: node.start, text });
  });
  return found;
}

function textOf({ type, value, quasis }: Node): string | undefined {
  if (type === 'Literal' && typeof value === 'string') return value;
  if (type !== 'TemplateLiteral' || !Array.isArray(quasis)) return undefined;
  return quasis.map(({ value: { cooked } }: { value: { cooked: string } }) => cooked).join('‹›');
}
