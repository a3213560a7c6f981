// @ts-check
/**
 * Makes what users and the program need of `schemas/`, as part of the build.
 *
 * `dist/schemas/` is what the package exports. Of Ignition, `schemas/` has the newest version, and of each older one the
 * merge patch (RFC 7396) that turns the next newer version into it. That of inventories gets the settings of
 * `src/agent/settingTable.ts`.
 *
 * `dist/compiled/` is for the program: for each version of Ignition `fields-VERSION.json`, the field model that
 * `src/ignition/schema.ts` declares; and `inventory.js`, a validator of inventories without imports, so that the program
 * needs no schema compiler.
 */

import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import standalone from 'ajv/dist/standalone/index.js';
import { build } from 'rolldown';
import { minifySync } from 'rolldown/utils';

/**
 * @typedef {import('../src/agent/settingTable.ts').Setting} Setting
 * @typedef {{ definitions: Record<string, Definition> }} Schema
 * @typedef {{ properties: Record<string, Property>, 'x-key'?: string[] }} Definition
 * @typedef {{ embedded?: string, pointer?: boolean, always?: boolean, list?: string, element?: string }} GoFacts
 * @typedef {{ type?: [keyof typeof goScalars | 'array', 'null'], $ref?: string, items?: { $ref?: string },
 *   'x-go'?: GoFacts, 'x-key-space'?: string, 'x-repeatable'?: boolean }} Property
 */

const items = { type: 'string' };
/** The value of a setting in an inventory; null means unset. @type {Record<Setting['kind'], object>} */
const forms = {
  text: { type: ['string', 'null'] },
  texts: { type: ['array', 'null'], items },
  port: { type: ['integer', 'string', 'null'] },
  list: { type: ['string', 'array', 'null'], items },
  file: { type: ['string', 'null'] },
  files: { type: ['array', 'null'], items },
  switch: { type: ['boolean', 'null'] },
};
const goScalars = { string: 'string', boolean: 'bool', integer: 'int' };

const PATCH = '.patch.json';
const root = join(import.meta.dirname, '..');
const source = join(root, 'schemas');
const published = join(root, 'dist/schemas');
const compiled = join(root, 'dist/compiled');

mkdirSync(compiled, { recursive: true });
cpSync(source, published, { recursive: true, filter: (path) => !path.endsWith(PATCH) });
const inventory = JSON.parse(readFileSync(join(source, 'inventory.json'), 'utf8'));
inventory.definitions.settings.properties = settingSchemas(await readSettingTable());
writeSchema('inventory', inventory);
for (const [version, schema] of ignitionSchemas()) {
  writeSchema(`ignition/${version}`, schema);
  writeFileSync(join(compiled, `fields-${version}.json`), JSON.stringify(structOf(schema, 'Config')));
}
writeFileSync(join(compiled, 'inventory.js'), compileInventory(inventory));

/** @param {string} name @param {object} schema */
function writeSchema(name, schema) {
  writeFileSync(join(published, `${name}.json`), `${JSON.stringify(schema, undefined, 2)}\n`);
}

/** Node 20 does not import TypeScript. @returns {Promise<readonly Setting[]>} */
async function readSettingTable() {
  const input = join(root, 'src/agent/settingTable.ts');
  const { output } = await build({ input, platform: 'node', write: false });
  const { settingTable } = await import(`data:text/javascript,${encodeURIComponent(output[0].code)}`);
  return settingTable;
}

/** @param {readonly Setting[]} settings */
function settingSchemas(settings) {
  const names = new Map(settings.map(({ name, flag }) => [flag?.split(' ')[0], name]));
  return Object.fromEntries(
    settings.map((setting) => {
      const { name, kind, choices } = setting;
      const form = choices === undefined ? forms[kind] : { enum: [...choices, null] };
      const description = describeSetting(setting).replaceAll(/--[\w-]+/g, (flag) => names.get(flag) ?? flag);
      return [name, { description, ...form }];
    }),
  );
}

/** The help of a flag as sentences on a key of an inventory. @param {Setting} setting */
function describeSetting({ name, kind, help }) {
  const text = help.replace(/^comma-separated /, '');
  const clauses = (name.startsWith('boot.') ? `for pxe kargs: ${text}` : text).split('; ');
  const sentences = clauses
    .filter((clause) => clause !== 'repeatable' && !clause.startsWith('alias: '))
    .map(
      (clause) => `${clause.replace(/^[a-z]+(?![\w.-])/, (word) => word[0]?.toUpperCase() + word.slice(1))}.`,
    );
  if (kind === 'list') sentences.push('A list, or a text with commas.');
  if (kind === 'texts' || kind === 'files') sentences.push('A list.');
  if (kind === 'file' || kind === 'files')
    sentences.push('Relative paths start at the folder of the inventory.');
  return sentences.join(' ');
}

/** By version, the newest one first. */
function ignitionSchemas() {
  const folder = join(source, 'ignition');
  const names = readdirSync(folder).toSorted((a, b) => b.localeCompare(a, 'en', { numeric: true }));
  /** @type {any} */
  let schema;
  return names.map((name) => {
    schema = mergePatch(schema, JSON.parse(readFileSync(join(folder, name), 'utf8')));
    return /** @type {const} */ ([name.replace(/(?:\.patch)?\.json$/, ''), schema]);
  });
}

/** RFC 7396. @param {any} value @param {any} patch @returns {any} */
function mergePatch(value, patch) {
  if (!isObject(patch)) return patch;
  const merged = isObject(value) ? { ...value } : {};
  for (const [name, change] of Object.entries(patch)) {
    if (change === null) delete merged[name];
    else merged[name] = mergePatch(merged[name], change);
  }
  return merged;
}

/** @param {unknown} value */
function isObject(value) {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Hosts are checked one by one: all at once, each error would copy those before it. @param {any} schema @returns {string} */
function compileInventory(schema) {
  const ajv = new Ajv({
    allErrors: true,
    allowUnionTypes: true,
    code: { source: true, esm: true },
    schemas: [schema],
  });
  return minify(
    standalone.default(ajv, {
      checkInventory: schema.$id,
      checkHost: `${schema.$id}#/definitions/host`,
    }),
  );
}

/** Each validator contains its schema with all descriptions, which it does not use. @param {string} code @returns {string} */
function minify(code) {
  return minifySync('validator.js', code, { module: true }).code;
}

/** @param {Schema} schema @param {string} name @returns {import('../src/ignition/schema.ts').StructType} */
function structOf(schema, name) {
  const definition = schema.definitions[name];
  if (definition === undefined) throw new Error(`schema has no definition ${name}`);
  return {
    name,
    goType: `types.${name}`,
    fields: Object.entries(definition.properties).map(([key, property]) => fieldOf(schema, key, property)),
    keyFields: definition['x-key'] ?? [],
  };
}

/** @param {Schema} schema @param {string} name @param {Property} property @returns {import('../src/ignition/schema.ts').Field} */
function fieldOf(schema, name, property) {
  const { embedded, pointer = false, always = false } = property['x-go'] ?? {};
  const base = { name, pointer, ...(embedded !== undefined && { embedded }) };
  if (property.$ref !== undefined) {
    const struct = structOf(schema, definitionName(property.$ref));
    return { ...base, kind: 'struct', goType: struct.goType, struct };
  }
  const kind = property.type?.[0] ?? 'array';
  return kind === 'array'
    ? { ...base, ...listOf(schema, name, property) }
    : { ...base, kind, goType: goScalars[kind], always };
}

/** @param {Schema} schema @param {string} name @param {Property} property */
function listOf(schema, name, property) {
  const { list, element: stringType = '' } = property['x-go'] ?? {};
  const itemRef = property.items?.$ref;
  const elementName = itemRef === undefined ? stringType : definitionName(itemRef);
  return {
    kind: /** @type {const} */ ('list'),
    goType: list === undefined ? `[]types.${elementName}` : `types.${list}`,
    element: itemRef === undefined ? stringType : structOf(schema, elementName),
    keySpace: property['x-key-space'] ?? name,
    repeatable: property['x-repeatable'] ?? false,
  };
}

/** @param {string} ref */
function definitionName(ref) {
  return ref.slice('#/definitions/'.length);
}
