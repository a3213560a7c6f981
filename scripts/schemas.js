// @ts-check
/**
 * Makes what users and the program need of `schemas/`, as part of the build.
 *
 * `dist/schemas/` is what the package exports. Of Ignition, `schemas/` has the newest version, and of each older one the
 * merge patch (RFC 7396) that turns the next newer version into it. That of inventories gets the settings of
 * `src/agent/settingTable.ts` in all spellings of `src/agent/settingSpelling.ts`, and those of `src/commands/deploy/settings.ts`.
 *
 * `dist/compiled/` is for the program: for each version of Ignition `fields-VERSION.json`, the field model that
 * `src/ignition/schema.ts` declares; and `inventory.js`, a validator of inventories without imports, so that the program
 * needs no schema compiler. It knows the settings by their names only, because the program has read the spellings before.
 */

import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import standalone from 'ajv/dist/standalone/index.js';
import { minifySync } from 'rolldown/utils';
import { importSource } from './bundle/importSource.js';

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
const kindForms = {
  text: { type: ['string', 'null'] },
  texts: { type: ['string', 'array', 'null'], items },
  port: { type: ['integer', 'string', 'null'] },
  list: { type: ['string', 'array', 'null'], items },
  file: { type: ['string', 'null'] },
  files: { type: ['string', 'array', 'null'], items },
  switch: { type: ['boolean', 'null'] },
};
/** A name or value of a label in Kubernetes. */
const LABEL = '[A-Za-z0-9]([A-Za-z0-9._-]{0,61}[A-Za-z0-9])?';

/** @type {Record<import('../src/commands/deploy/settings.ts').DeployKind, object>} */
const deployForms = {
  ...kindForms,
  texts: { type: ['array', 'null'], items },
  hints: { type: ['object', 'null'], additionalProperties: { type: ['string', 'integer', 'boolean'] } },
  labels: {
    type: ['object', 'null'],
    propertyNames: { pattern: `^([a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?/)?${LABEL}$` },
    additionalProperties: { type: 'string', pattern: `^(${LABEL})?$` },
  },
  spec: { $ref: '#/definitions/hostSpec' },
};
const goScalars = { string: 'string', boolean: 'bool', integer: 'int' };

const PATCH = '.patch.json';
const root = join(import.meta.dirname, '..');
const source = join(root, 'schemas');
const published = join(root, 'dist/schemas');
const compiled = join(root, 'dist/compiled');

mkdirSync(compiled, { recursive: true });
cpSync(source, published, {
  recursive: true,
  filter: (path) => !path.endsWith(PATCH) && !path.endsWith('.yaml'),
});
const inventory = JSON.parse(readFileSync(join(source, 'inventory.json'), 'utf8'));
/** @type {{ settingTable: readonly Setting[] }} */
const { settingTable } = await importSource('src/agent/settingTable.ts');
/** @type {typeof import('../src/agent/settingSpelling.ts')} */
const { sectionKeys, settingKeys } = await importSource('src/agent/settingSpelling.ts');
/** @type {typeof import('../src/commands/deploy/settings.ts')} */
const { deployRows } = await importSource('src/commands/deploy/settings.ts');
inventory.definitions.settings.properties = settingSchemas(settingTable);
inventory.definitions.deploy.properties = deploySchemas(deployRows);
inventory.definitions.hostSpec = hostSpec();
writeSchema('inventory', withSpellings(inventory));
for (const [version, schema] of ignitionSchemas()) {
  writeSchema(`ignition/${version}`, schema);
  writeFileSync(join(compiled, `fields-${version}.json`), JSON.stringify(structOf(schema, 'Config')));
}
writeFileSync(join(compiled, 'inventory.js'), compileInventory(inventory));

/** @param {string} name @param {object} schema */
function writeSchema(name, schema) {
  writeFileSync(join(published, `${name}.json`), `${JSON.stringify(schema, undefined, 2)}\n`);
}

/** @param {readonly Setting[]} settings */
function settingSchemas(settings) {
  const names = new Map(settings.map(({ name, flag }) => [flag?.split(' ')[0], name]));
  return Object.fromEntries(
    settings.map((setting) => {
      const { name } = setting;
      const description = describeSetting(setting).replaceAll(/--[\w-]+/g, (flag) => names.get(flag) ?? flag);
      return [name, { description, ...formOf(setting) }];
    }),
  );
}

/** @param {typeof import('../src/commands/deploy/settings.ts').deployRows} rows */
function deploySchemas(rows) {
  const keys = new Map(rows.map(([name, { flag = '', key = name }]) => [flag.split(' ')[0], key]));
  return Object.fromEntries(
    rows
      .filter(([, { place }]) => place === undefined)
      .map(([name, { choices, help, key = name, kind }]) => {
        const text = help
          .replace('; repeatable', '')
          .replaceAll(/--[\w-]+/g, (flag) => keys.get(flag) ?? flag);
        const sentence = `${text.replace(/^[a-z]+(?![\w.-])/, capital)}.`;
        const paths = kind === 'file' ? ' Relative paths start at the folder of the inventory.' : '';
        const form = choices === undefined ? deployForms[kind] : { enum: [...choices, null] };
        return [key, { description: sentence + paths, ...form }];
      }),
  );
}

/** The fields of `spec` of a BareMetalHost. Kubernetes describes an object with the properties that it has, without saying that there are no others. */
function hostSpec() {
  const { properties } = JSON.parse(readFileSync(join(source, 'deploy/baremetalhost.json'), 'utf8'));
  const { required: _required, ...spec } = JSON.parse(JSON.stringify(properties.spec), (key, value) => {
    if (key.startsWith('x-kubernetes-') || (key === 'format' && typeof value === 'string')) return undefined;
    return isObject(value) && isObject(value.properties) ? { ...value, additionalProperties: false } : value;
  });
  return { ...spec, type: ['object', 'null'] };
}

/** @param {string} word */
function capital(word) {
  return `${word[0]?.toUpperCase()}${word.slice(1)}`;
}

/** Adds the spellings of settings, and a definition of each section. @param {any} schema */
function withSpellings(schema) {
  const { settings } = schema.definitions;
  const sections = [...sectionKeys].map((key) => [
    `settings-${key}`,
    { type: ['object', 'null'], additionalProperties: false, patternProperties: patternsBelow(key) },
  ]);
  return {
    ...schema,
    definitions: {
      ...schema.definitions,
      settings: { ...settings, patternProperties: patternsBelow('') },
      ...Object.fromEntries(sections),
    },
  };
}

/** The forms of keys by patterns of the keys that have them. @param {string} section in lower case, without separators */
function patternsBelow(section) {
  const forms = new Map(settingTable.map((setting) => [setting.name, formOf(setting)]));
  const below = [...new Set([...settingKeys.keys(), ...sectionKeys])].filter(
    (key) => key.startsWith(section) && key !== section,
  );
  /** By form, as JSON. @type {Map<string, string[]>} */
  const keys = new Map();
  for (const key of below) {
    const form = forms.get(settingKeys.get(key) ?? '');
    const inner = sectionKeys.has(key) ? { $ref: `#/definitions/settings-${key}` } : undefined;
    const json = JSON.stringify(
      form !== undefined && inner !== undefined ? { anyOf: [form, inner] } : (form ?? inner),
    );
    keys.set(json, [...(keys.get(json) ?? []), key.slice(section.length)]);
  }
  return Object.fromEntries([...keys].map(([json, names]) => [patternOf(names), JSON.parse(json)]));
}

/**
 * Keys in any case, with any separators, without the names of settings: ajv refuses a schema with a property and a pattern for it.
 * @param {string[]} keys in lower case, without separators
 */
function patternOf(keys) {
  const letters = keys.map((key) =>
    key.replaceAll(/./g, (letter) => `[${letter}${letter.toUpperCase()}][-._]*`),
  );
  const pattern = `(?:${letters.join('|')})$`;
  const names = settingTable.map(({ name }) => name).filter((name) => new RegExp(`^${pattern}`).test(name));
  const others = names.length === 0 ? '' : `(?!(?:${names.join('|').replaceAll('.', String.raw`\.`)})$)`;
  return `^${others}${pattern}`;
}

/** @param {Setting} setting */
function formOf({ kind, choices }) {
  return choices === undefined ? kindForms[kind] : { enum: [...choices, null] };
}

/** The help of a flag as sentences on a key of an inventory. @param {Setting} setting */
function describeSetting({ name, kind, help }) {
  const text = help.replace(/^comma-separated /, '');
  const clauses = (name.startsWith('boot.') ? `for pxe kargs: ${text}` : text).split('; ');
  const sentences = clauses
    .filter((clause) => clause !== 'repeatable' && !clause.startsWith('alias: '))
    .map((clause) => `${clause.replace(/^[a-z]+(?![\w.-])/, capital)}.`);
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

/** Hosts are checked one by one: all at once, each error would copy those before it. @param {any} described @returns {string} */
function compileInventory(described) {
  const schema = JSON.parse(
    JSON.stringify(described, (key, value) =>
      key === 'description' && typeof value === 'string' ? undefined : value,
    ),
  );
  const ajv = new Ajv({
    allErrors: true,
    allowUnionTypes: true,
    verbose: true,
    logger: false, // it warns of the next line, without which the module has an import
    unicode: false,
    inlineRefs: false,
    code: { source: true, esm: true },
    schemas: [schema],
  });
  const code = standalone.default(ajv, {
    checkInventory: schema.$id,
    checkHost: `${schema.$id}#/definitions/host`,
    checkHostSpec: `${schema.$id}#/definitions/hostSpec`,
  });
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
