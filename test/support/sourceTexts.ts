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

/** Where a source spreads a list into the arguments of a call, except the rest parameter of a function around it. */
export function readSpreadArguments(source: string): readonly number[] {
  const program = parseAst(source, { lang: 'ts' });
  const found = new Set<number>();
  visit(program, ({ type, start }, role) => {
    if (type === 'SpreadElement' && role === 'arguments') found.add(start);
  });
  visit(program, ({ type, argument: rest }, role, parent) => {
    if (type !== 'RestElement' || role !== 'params') return;
    visit(parent['body'], ({ argument, start }) => {
      if (nameOf(argument) === nameOf(rest)) found.delete(start);
    });
  });
  return [...found];
}

/** The node itself if it has no name, so that it equals no other. */
function nameOf(node: unknown): unknown {
  return typeof node === 'object' && node !== null && 'name' in node ? node.name : node;
}

/** The names of constants outside of functions whose value is a fixed number, text or regular expression. */
export function readFixedConstants(source: string): readonly string[] {
  const { body } = parseAst(source, { lang: 'ts' });
  return body.flatMap((statement) => {
    const declaration = statement.type === 'ExportNamedDeclaration' ? statement.declaration : statement;
    if (declaration?.type !== 'VariableDeclaration' || declaration.kind !== 'const') return [];
    return declaration.declarations.flatMap(({ id, init }) =>
      id.type === 'Identifier' && isFixed(init) ? [id.name] : [],
    );
  });
}

function isFixed(value: unknown): boolean {
  if (typeof value !== 'object' || value === null || !('type' in value)) return false;
  const node: Readonly<Record<string, unknown>> = { ...value };
  switch (node['type']) {
    case 'Literal':
      return node['value'] !== null || 'regex' in node;
    case 'TemplateLiteral':
      return Array.isArray(node['expressions']) && node['expressions'].every(isFixed);
    case 'UnaryExpression':
      return isFixed(node['argument']);
    case 'BinaryExpression':
      return isFixed(node['left']) && isFixed(node['right']);
    case 'TSAsExpression':
      return isFixed(node['expression']);
    case 'Identifier':
      return /^[A-Z][A-Z\d_]*$/.test(String(node['name']));
    default:
      return false;
  }
}
