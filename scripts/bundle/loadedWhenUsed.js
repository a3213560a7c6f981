// @ts-check
/**
 * A plugin of rolldown for CommonJS: a module is loaded when it is first used, not when the program starts. No module of
 * ours does anything when it is loaded, so that it does not matter when this happens.
 */

import { parseAst } from 'rolldown/parseAst';

/** How a chunk names what it needs; in two lines where a module of the other system is wrapped. */
const REQUIRES = /^(?:let|const) ([\w$]+) = require\(("[^"]+")\);(?:\n\1 = ([\w.]*__toESM)\(\1(.*)\);)?$/gm;

/**
 * Makes `let NAME = require("MODULE");` of a chunk a function, and each use of the name a call of it.
 * @param {string} importModule what imports in place of `import()`, which code out of the cache cannot use
 */
export function loadedWhenUsed(importModule) {
  return {
    name: 'loaded-when-used',
    /** @param {string} code */
    renderChunk(code) {
      /** @type {Map<string, string>} */
      const loads = new Map();
      const rest = code.replace(REQUIRES, (...match) => {
        const [, name, id, wrapped, mode] = match;
        const load = id.startsWith('"node:') ? `process.getBuiltinModule(${id})` : `require(${id})`;
        loads.set(name, wrapped === undefined ? load : `${wrapped}(${load}${mode})`);
        return '';
      });
      const functions = [...loads].map(
        ([name, load]) => `var ${name}$loaded;\nfunction ${name}() { return ${name}$loaded ??= ${load}; }\n`,
      );
      return withLateLoading(functions.join('') + rest, { names: loads, importModule });
    },
  };
}

/** @param {string} code @param {{ names: ReadonlyMap<string, unknown>, importModule: string }} late names of what is a function now */
function withLateLoading(code, { names, importModule }) {
  /** @type {{ start: number, end: number }[]} */
  const uses = [];
  /** @type {{ start: number }[]} */
  const imports = [];
  /** @param {object} parent */
  const visit = (parent) => {
    for (const [role, value] of Object.entries(parent)) {
      for (const node of [value].flat()) {
        if (typeof node?.type !== 'string') continue;
        if (node.type === 'Identifier' && names.has(node.name) && isUse(parent, role)) uses.push(node);
        if (node.type === 'ImportExpression') imports.push(node);
        visit(node);
      }
    }
  };
  visit(parseAst(code));
  const edits = [
    // In parentheses, as `new a().B()` would not be `new (a().B)()`.
    ...uses.map(({ start, end }) => ({ start, end, text: `(${code.slice(start, end)}())` })),
    ...imports.map(({ start }) => ({ start, end: start + 'import'.length, text: importModule })),
  ];
  let written = '';
  let position = 0;
  for (const { start, end, text } of edits.toSorted((a, b) => a.start - b.start)) {
    written += code.slice(position, start) + text;
    position = end;
  }
  return written + code.slice(position);
}

/** Not the name of a member, or of the function itself. @param {{ type?: string, computed?: boolean }} parent @param {string} role */
function isUse({ type, computed }, role) {
  if (type === 'MemberExpression') return role === 'object' || computed === true;
  if (type === 'Property') return role === 'value' || computed === true;
  return role !== 'id' && role !== 'key';
}
