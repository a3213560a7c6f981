// @ts-check
/**
 * Converts the schemas to what the program uses, as part of the build. Writes to `schemas/compiled/`, for each version of
 * Ignition, `fields-VERSION.json`: the field model that `src/ignition/schema.ts` declares; and `inventory.js`, a validator
 * of inventories without imports, so that the program needs no schema compiler.
 */

import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import standalone from 'ajv/dist/standalone/index.js';
import { minifySync } from 'rolldown/utils';

/**
 * @typedef {{ definitions: Record<string, Definition> }} Schema
 * @typedef {{ properties: Record<string, Property>, 'x-key'?: string[] }} Definition
 * @typedef {{ embedded?: string, pointer?: boolean, always?: boolean, list?: string, element?: string }} GoFacts
 * @typedef {{ type?: [keyof typeof goScalars | 'array', 'null'], $ref?: string, items?: { $ref?: string },
 *   'x-go'?: GoFacts, 'x-key-space'?: string, 'x-repeatable'?: boolean }} Property
 */

const goScalars = { string: 'string', boolean: 'bool', integer: 'int' };

const source = join(import.meta.dirname, 'ignition');
const target = join(import.meta.dirname, 'compiled');

mkdirSync(target, { recursive: true });
for (const name of readdirSync(source)) {
  const schema = JSON.parse(readFileSync(join(source, name), 'utf8'));
  writeFileSync(join(target, `fields-${name}`), JSON.stringify(structOf(schema, 'Config')));
}
writeFileSync(join(target, 'inventory.js'), compileInventory());

/** Hosts are checked one by one: all at once, each error would copy those before it. @returns {string} */
function compileInventory() {
  const schema = JSON.parse(readFileSync(join(import.meta.dirname, 'inventory.json'), 'utf8'));
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
