// @ts-check
/**
 * Bundles the program and the library into `dist/`; types are left to tsc. The program is CommonJS, as Node starts that
 * sooner, and loads everything when it is first used: most of the time of a short command goes into Node's finding,
 * compiling and running modules. Run by node: rolldown's own command would list every chunk to those who only want to
 * start the program.
 */

import { readFileSync, writeFileSync } from 'node:fs';
import { rolldown } from 'rolldown';
import { parseAst } from 'rolldown/parseAst';

/** @type {{ dependencies: Record<string, string> }} */
const { dependencies } = JSON.parse(readText('package.json'));

// What is installed with the package stays outside; commander is not, every command needs it.
/** @param {string} id */
const external = (id) =>
  id.startsWith('node:') ||
  Object.keys(dependencies).some((name) => id === name || id.startsWith(`${name}/`));

/** How a chunk names what it needs; in two lines where a module of the other system is wrapped. */
const REQUIRES = /^(?:let|const) ([\w$]+) = require\(("[^"]+")\);(?:\n\1 = ([\w.]+__toESM)\(\1(.*)\);)?$/gm;

/** So that bin/codeCache.js can tell by the name whether it knows the content. */
const CHUNK = '[name]-[hash].cjs';

/** Chunks are directly in `dist/`: src/assets.ts counts on that. */
const output = { dir: 'dist', comments: false };

const library = await rolldown({
  input: { index: 'src/index.ts' },
  platform: 'node',
  logLevel: 'warn',
  checks: { ineffectiveDynamicImport: false }, // it exports what the program's commands load late
  preserveEntrySignatures: 'allow-extension', // or the entry would be one more file
  external,
});
await library.write({ ...output, cleanDir: true, chunkFileNames: '[name].js' });

const program = await rolldown({
  input: { cli: 'src/cli.ts' },
  platform: 'node',
  logLevel: 'warn',
  preserveEntrySignatures: 'allow-extension',
  external,
  plugins: [commanderInside(), loadedWhenUsed()],
});
const { output: chunks } = await program.write({
  ...output,
  format: 'cjs',
  entryFileNames: CHUNK,
  chunkFileNames: CHUNK,
  codeSplitting: {
    // What a command needs is read at once; what only some settings need stays apart.
    groups: [
      {
        name: 'program',
        test: /src\/(?:cli|io\/(?:files|stdout|handles))\.ts$|rolldown\/runtime/,
        priority: 5,
      },
      { name: 'validate', test: /src\/commands\/(?:validate|input\/yamlName)\.ts$/, priority: 4 },
      {
        name: 'liveImage',
        test: /src\/(?:io\/rewriteImage|commands\/iso\/(?:ignition|kargs)\/\w+)\.ts$/,
        priority: 3,
      },
      { name: 'agent', test: /src\/agent\/(?:lint\/lintConfig|confCheck|embeddedSecrets)\.ts$/, priority: 2 },
      { name: 'yaml', test: /src\/formats\/yaml\W/, priority: 1 },
      { name: 'network', test: /src\/agent\/network\//, priority: 1 },
      { name: 'render', test: /src\/commands\/render\/render\.ts$/ },
    ],
  },
});
writeFileSync('dist/importModule.cjs', 'module.exports = (id) => import(id);\n');
writeFileSync('dist/cli.cjs', `module.exports = require('./${chunks[0].fileName}');\n`);

/** Commander loads node:child_process for commands that are programs of their own, of which we have none. */
function commanderInside() {
  return {
    name: 'commander-inside',
    transform: {
      filter: { id: /\/node_modules\/commander\// },
      /** @param {string} code */
      handler: (code) => code.replace("require('node:child_process')", '{}'),
    },
    /** @this {import('rolldown').PluginContext} */
    generateBundle() {
      const source = readText('node_modules/commander/LICENSE');
      this.emitFile({ type: 'asset', fileName: 'commander.LICENSE', source });
    },
  };
}

/**
 * Makes `let NAME = require("MODULE");` of a chunk a function, and each use of the name a call of it. No module of the
 * program does anything when it is loaded, so that it does not matter when this happens.
 */
function loadedWhenUsed() {
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
      return withLateLoading(functions.join('') + rest, loads);
    },
  };
}

/** @param {string} code @param {ReadonlyMap<string, unknown>} names of what is a function now */
function withLateLoading(code, names) {
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
    // Code out of the cache cannot import.
    ...imports.map(({ start }) => ({
      start,
      end: start + 'import'.length,
      text: 'require("./importModule.cjs")',
    })),
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

/** @param {string} path */
function readText(path) {
  return readFileSync(new URL(path, import.meta.url), 'utf8');
}
