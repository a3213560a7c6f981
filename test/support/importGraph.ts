/** What the sources of src import and use, and circles of imports. */

import { posix } from 'node:path';
import { parseAst } from 'rolldown/parseAst';

interface Import {
  /** Path below src, or the name of a package. */
  readonly target: string;
  readonly line: number;
  /** The imported names that exist when the program runs; `*` is all of them. */
  readonly names: readonly string[];
}

/** A source file, by what it imports and uses. */
export interface Source {
  readonly path: string;
  readonly imports: readonly Import[];
  /** Lines that use the global `process` or a global function of the network. */
  readonly globals: ReadonlyMap<number, string>;
}

/** A node of the syntax tree. */
export interface Node extends Readonly<Record<string, unknown>> {
  readonly type: string;
  readonly start: number;
}

const globalNames = new Set(['process', 'fetch', 'WebSocket', 'EventSource']);

/** @param path below src, with slashes */
export function readSource(path: string, text: string): Source {
  const imports: Import[] = [];
  const globals = new Map<number, string>();
  const lineAt = (start: number): number => text.slice(0, start).split('\n').length;
  const addImport = (specifier: unknown, node: Node, names: readonly string[]): void => {
    if (!isNode(specifier)) return;
    const { value } = specifier;
    if (typeof value !== 'string') return;
    const target = value.startsWith('.') ? posix.join(posix.dirname(path), value) : value;
    imports.push({ target, line: lineAt(node.start), names });
  };
  visit(parseAst(text, { lang: 'ts' }), (node, role, parent) => {
    if (/^(?:Import|ExportNamed|ExportAll)Declaration$/.test(node.type) && isNode(node['source'])) {
      addImport(node['source'], node, namesOf(node));
    }
    if (node.type === 'ImportExpression') addImport(node['source'], node, ['*']);
    if (node.type === 'TSImportType') addImport(node['source'], node, []);
    const { name } = node;
    if (node.type !== 'Identifier' || typeof name !== 'string' || !globalNames.has(name)) return;
    const isMember = role === 'property' || (role === 'key' && parent['shorthand'] !== true);
    if (!isMember || parent['computed'] === true) globals.set(lineAt(node.start), name);
  });
  return { path, imports, globals };
}

/** Calls `found` with all nodes below one, and their role in the node above. */
export function visit(node: unknown, found: (node: Node, role: string, parent: Node) => void): void {
  if (!isNode(node)) return;
  for (const [role, value] of Object.entries(node)) {
    for (const child of Array.isArray(value) ? value : [value]) {
      if (!isNode(child)) continue;
      found(child, role, node);
      visit(child, found);
    }
  }
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value && 'start' in value;
}

function namesOf(node: Node): readonly string[] {
  if (node['importKind'] === 'type' || node['exportKind'] === 'type') return [];
  const specifiers = node['specifiers'];
  if (!Array.isArray(specifiers)) return ['*'];
  return specifiers
    .filter(({ importKind, exportKind }) => importKind !== 'type' && exportKind !== 'type')
    .map(({ type, imported, local }) =>
      type === 'ImportSpecifier' ? imported.name : type === 'ExportSpecifier' ? local.name : '*',
    );
}

/** Circles of imports, also of types: between files, or between the groups that `groupOf` makes of them. */
export function circleProblems(sources: readonly Source[], groupOf: (path: string) => string): string[] {
  const known = new Set(sources.map(({ path }) => path));
  const arrows = new Map<string, Map<string, string>>();
  for (const { path, imports } of sources) {
    const from = arrows.get(groupOf(path)) ?? new Map<string, string>();
    arrows.set(groupOf(path), from);
    for (const { target, line } of imports) {
      if (!known.has(target) || groupOf(target) === groupOf(path) || from.has(groupOf(target))) continue;
      from.set(groupOf(target), `src/${path}:${line}: imports ${target}`);
    }
  }
  const reached = new Set<string>();
  return [...arrows.keys()].flatMap((start) => {
    // The shortest way back to the start, unless a circle through it is known.
    const before = new Map<string, string>();
    const queue = reached.has(start) ? [] : [start];
    for (const group of queue) {
      for (const next of arrows.get(group)?.keys() ?? []) {
        if (before.has(next)) continue;
        before.set(next, group);
        queue.push(next);
      }
    }
    if (!before.has(start)) return [];
    const steps: string[] = [];
    let group = start;
    do {
      const previous = before.get(group) ?? start;
      steps.unshift(arrows.get(previous)?.get(group) ?? '');
      reached.add(group);
      group = previous;
    } while (group !== start);
    return [`${steps.join('\n  ')}\n  is a circle: move what both ends use to a file that imports neither`];
  });
}
