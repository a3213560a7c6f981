// @ts-check
/** Mutants of a TypeScript source: its text with one small change that a test should notice. */

import { parseAst } from 'rolldown/parseAst';

/**
 * A change of a source: from the offset `start` to `end`, `text` is in place.
 * @typedef {{ readonly start: number, readonly end: number, readonly text: string }} Change
 *
 * A change, and where it is: its line from 1, and the nearest function around it that has a name.
 * @typedef {Change & { readonly line: number, readonly functionName: string | undefined }} Mutant
 */

/** @typedef {{ readonly type: string, readonly start: number, readonly end: number } & Readonly<Record<string, unknown>>} Node */

/** @type {Readonly<Record<string, string>>} */
const operators = {
  '===': '!==',
  '!==': '===',
  '<': '<=',
  '<=': '<',
  '>': '>=',
  '>=': '>',
  '+': '-',
  '-': '+',
  '*': '/',
  '/': '*',
  '%': '*',
  '&': '|',
  '|': '&',
  '&&': '||',
  '||': '&&',
  '??': '&&',
};

/** Expressions of TypeScript that only state a type; other nodes of TypeScript are types. */
const wrappers = new Set(['TSAsExpression', 'TSSatisfiesExpression', 'TSNonNullExpression']);

/** @param {string} source @returns {Mutant[]} in the order of the source */
export function mutantsOf(source) {
  const lineStarts = [0, ...Array.from(source.matchAll(/\n/g), ({ index }) => index + 1)];
  /** @type {Mutant[]} */
  const mutants = [];
  visit(parseAst(source, { lang: 'ts' }), undefined, (node, functionName) => {
    for (const change of changesOf(node, source)) {
      const line = lineStarts.findLastIndex((start) => start <= change.start) + 1;
      mutants.push({ ...change, line, functionName });
    }
  });
  return mutants.toSorted((a, b) => a.start - b.start);
}

/**
 * @param {unknown} node nothing is found in what is no node
 * @param {string | undefined} functionName
 * @param {(node: Node, functionName: string | undefined) => void} found
 */
function visit(node, functionName, found) {
  if (!isNode(node)) return;
  if (node.type.startsWith('Import') && node.type.endsWith('Declaration')) return;
  if (node.type.startsWith('TS') && !wrappers.has(node.type)) return;
  found(node, functionName);
  const inside = nameOfFunction(node) ?? functionName;
  for (const value of Object.values(node)) {
    for (const child of Array.isArray(value) ? value : [value]) visit(child, inside, found);
  }
}

/** The name that the JavaScript engine gives to a function declared by the node. @param {Node} node @returns {string | undefined} */
function nameOfFunction(node) {
  switch (node.type) {
    case 'FunctionDeclaration':
      return nameOf(node['id']);
    case 'VariableDeclarator':
      return isFunction(node['init']) ? nameOf(node['id']) : undefined;
    case 'PropertyDefinition':
    case 'Property':
    case 'MethodDefinition':
      return isFunction(node['value']) ? nameOf(node['key']) : undefined;
    default:
      return undefined;
  }
}

/** @param {unknown} node */
function isFunction(node) {
  return isNode(node) && (node.type === 'ArrowFunctionExpression' || node.type === 'FunctionExpression');
}

/** @param {unknown} node @returns {string | undefined} of an identifier or a string */
function nameOf(node) {
  if (!isNode(node)) return undefined;
  const name = node['name'] ?? node['value'];
  if (typeof name !== 'string') return undefined;
  return node.type === 'PrivateIdentifier' ? `#${name}` : name;
}

/** @param {unknown} value @returns {value is Node} */
function isNode(value) {
  return typeof value === 'object' && value !== null && 'type' in value && 'start' in value;
}

/** @param {Node} node @param {string} source @returns {Change[]} */
function changesOf(node, source) {
  /** @param {unknown} part @param {(text: string) => string} change */
  const replaced = (part, change) =>
    isNode(part)
      ? [{ start: part.start, end: part.end, text: change(source.slice(part.start, part.end)) }]
      : [];
  switch (node.type) {
    case 'BinaryExpression':
    case 'LogicalExpression':
      return swappedOperator(node, source);
    case 'IfStatement':
    case 'ConditionalExpression':
      return replaced(node['test'], (text) => `!(${text})`);
    case 'UnaryExpression':
      return node['operator'] === '!' ? replaced(node, (text) => text.slice(1)) : [];
    case 'AwaitExpression':
      return replaced(node, (text) => text.replace(/^await\s+/, ''));
    case 'ExpressionStatement':
      return isCall(node['expression']) ? replaced(node, () => ';') : [];
    case 'Literal':
      if (typeof node['value'] === 'number') return replaced(node, (text) => `(${text} + 1)`);
      return typeof node['value'] === 'boolean' ? replaced(node, (text) => `(!${text})`) : [];
    default:
      return [];
  }
}

/** @param {Node} node @param {string} source */
function swappedOperator({ left, right, operator }, source) {
  if (!isNode(left) || !isNode(right)) return [];
  const other = operators[String(operator)];
  const start = source.indexOf(String(operator), left.end);
  if (other === undefined || start < 0 || start >= right.start) return [];
  return [{ start, end: start + String(operator).length, text: other }];
}

/** @param {unknown} node @returns {boolean} */
function isCall(node) {
  if (!isNode(node)) return false;
  return node.type === 'AwaitExpression' ? isCall(node['argument']) : node.type === 'CallExpression';
}
