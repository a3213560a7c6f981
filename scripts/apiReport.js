// @ts-check
/**
 * Writes the types of the package's entries to `test/golden/ironic-coreos.api.md`, so that a review sees each change of them: what each
 * entry exports, and the declarations that these refer to, without comments. Reads the types that `npm run build` wrote.
 * `npm run api`; with `--check` it compares, and fails if the file is not up to date.
 */

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { parseAst } from 'rolldown/parseAst';

/** @typedef {{ file: string, name: string }} Reference a top-level name of a file */

/**
 * @typedef {object} TypesFile
 * @property {Map<string, { texts: string[], references: Reference[] }>} declarations by name, in their order; overloads together
 * @property {Map<string, Reference>} exports of declarations of this file and of others, by their exported names
 */

const root = resolve(import.meta.dirname, '..');
const target = join(root, 'test/golden/ironic-coreos.api.md');
/** @type {{ name: string, exports: Record<string, string | { types: string }> }} */
const { name: packageName, exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

/** @type {Map<string, TypesFile>} */
const files = new Map();

const report = writeReport();
if (process.argv.includes('--check')) {
  if (report !== readFileSync(target, 'utf8')) {
    throw new Error('test/golden/ironic-coreos.api.md is not up to date: npm run api');
  }
} else {
  mkdirSync(dirname(target), { recursive: true });
  writeFileSync(target, report);
}

/** @returns {string} */
function writeReport() {
  /** @type {Map<string, string>} the entries that print a declaration, by its key */
  const printed = new Map();
  /** @type {Reference[]} */
  const reached = [];
  const sections = Object.entries(exports).flatMap(([path, entry]) => {
    if (typeof entry === 'string') return [];
    const title = path === '.' ? packageName : `${packageName}${path.slice(1)}`;
    const names = [...typesOf(join(root, entry.types)).exports].toSorted(byName);
    const lines = names.map(([exported, reference]) => {
      const found = declarationOf(reference);
      const key = keyOf(found);
      const first = printed.get(key);
      if (first !== undefined) return `export { ${exported} } from '${first}';`;
      printed.set(key, title);
      reached.push(found);
      const alias = exported === found.name ? '' : `export { ${found.name} as ${exported} };\n`;
      return alias + textOf(found);
    });
    return [`## ${title}\n\n${block(lines)}`];
  });
  for (const reference of reached) {
    for (const next of referencesOf(reference)) {
      if (reached.some((known) => keyOf(known) === keyOf(next))) continue;
      reached.push(next);
    }
  }
  const others = reached.filter((reference) => !printed.has(keyOf(reference)));
  const sources = [...new Set(others.map(({ file }) => file))].toSorted();
  const internal = sources.map((file) => {
    const inFile = new Set(others.flatMap((other) => (other.file === file ? [other.name] : [])));
    const texts = [...typesOf(file).declarations.keys()]
      .filter((name) => inFile.has(name))
      .map((name) => textOf({ file, name }));
    return `### ${sourceOf(file)}\n\n${block(texts)}`;
  });
  return [
    `# API of ${packageName}\n`,
    'The types of all entries, without comments; `npm run api` writes this file. [docs/library.md](../docs/library.md) describes them.\n',
    ...sections,
    '## Types that these refer to\n\nThey are not exported: programs use them through the exported types.\n',
    ...internal,
  ].join('\n');
}

/** @param {readonly string[]} texts */
function block(texts) {
  return `\`\`\`ts\n${texts.join('\n')}\n\`\`\`\n`;
}

/** @param {readonly [string, unknown]} one @param {readonly [string, unknown]} other */
function byName([one], [other]) {
  return one < other ? -1 : 1;
}

/** @param {Reference} reference */
function keyOf({ file, name }) {
  return `${file} ${name}`;
}

/** @param {string} file */
function sourceOf(file) {
  return relative(join(root, 'dist'), file)
    .replaceAll('\\', '/')
    .replace(/^/, 'src/')
    .replace(/\.d\.ts$/, '.ts');
}

/** Where a name is declared that a file exports or imports from another one. @param {Reference} reference @returns {Reference} */
function declarationOf(reference) {
  const { declarations, exports: exported } = typesOf(reference.file);
  if (declarations.has(reference.name)) return reference;
  const next = exported.get(reference.name);
  if (next === undefined) throw new Error(`${reference.file} does not declare ${reference.name}`);
  return declarationOf(next);
}

/** @param {Reference} reference @returns {string} */
function textOf({ file, name }) {
  return typesOf(file).declarations.get(name)?.texts.join('\n') ?? '';
}

/** The declarations of the package that a declaration refers to. @param {Reference} reference @returns {Reference[]} */
function referencesOf({ file, name }) {
  return (typesOf(file).declarations.get(name)?.references ?? []).map(declarationOf);
}

/** @param {string} file absolute @returns {TypesFile} */
function typesOf(file) {
  const known = files.get(file);
  if (known !== undefined) return known;
  const text = readFileSync(file, 'utf8');
  /** @type {TypesFile} */
  const types = { declarations: new Map(), exports: new Map() };
  files.set(file, types);
  /** @type {Map<string, Reference>} */
  const imports = new Map();
  /** @param {string} specifier */
  const fileOf = (specifier) => resolve(dirname(file), specifier.replace(/ts$/, 'd.ts'));
  const { body } = parseAst(text, { lang: 'dts' });
  for (const node of body) {
    if (node.type === 'ImportDeclaration') {
      if (!node.source.value.startsWith('.')) continue;
      for (const { local, imported } of node.specifiers)
        imports.set(local.name, { file: fileOf(node.source.value), name: imported?.name ?? 'default' });
    }
  }
  for (const node of body) {
    if (node.type === 'ExportNamedDeclaration' && node.declaration === null) {
      const source = node.source?.value;
      for (const { local, exported } of node.specifiers) {
        const other =
          source === undefined ? imports.get(local.name) : { file: fileOf(source), name: local.name };
        types.exports.set(exported.name, other ?? { file, name: local.name });
      }
      continue;
    }
    const isExported = node.type === 'ExportNamedDeclaration';
    const declared = isExported ? node.declaration : node;
    const named = declared.declarations?.[0] ?? declared;
    const name = named.id?.name;
    if (node.type === 'ImportDeclaration' || name === undefined) continue;
    const { texts, references } = types.declarations.get(name) ?? { texts: [], references: [] };
    texts.push(withoutComments(text.slice(node.start, node.end)));
    for (const used of namesIn(declared)) {
      if (typeof used === 'string') {
        const imported = imports.get(used);
        references.push(imported ?? { file, name: used });
      } else references.push({ file: fileOf(used.specifier), name: used.name });
    }
    types.declarations.set(name, { texts, references });
    if (isExported) types.exports.set(name, { file, name });
  }
  for (const declaration of types.declarations.values()) {
    // Type parameters, and names of the language and of Node.js, are not declared here.
    declaration.references = declaration.references.filter(
      (reference) => reference.file !== file || types.declarations.has(reference.name),
    );
  }
  return types;
}

/** Comments, and the help texts in the table of settings, are no part of the types. @param {string} text */
function withoutComments(text) {
  return text.replaceAll(/^\s*\/\*\*.*?\*\/\n/gms, '').replaceAll(/^\s*readonly help: .*\n/gm, '');
}

/** @typedef {{ specifier: string, name: string }} ImportedType of `import('./file.ts').Name` */

/** All identifiers in a declaration, and imported types. @param {object} node @returns {(string | ImportedType)[]} */
function namesIn(node) {
  /** @type {(string | ImportedType)[]} */
  const names = [];
  /** @param {any} value */
  const visit = (value) => {
    if (Array.isArray(value)) for (const item of value) visit(item);
    if (typeof value?.type !== 'string') return;
    if (value.type === 'Identifier') names.push(value.name);
    const specifier = value.type === 'TSImportType' ? value.source?.value : undefined;
    if (specifier?.startsWith('.')) names.push({ specifier, name: value.qualifier.name });
    for (const [role, child] of Object.entries(value)) if (role !== 'qualifier') visit(child);
  };
  visit(node);
  return names;
}
