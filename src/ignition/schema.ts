/**
 * The field model of each spec version, read from `schemas/ignition/VERSION.json`: which fields there are, in which
 * order, and what Go knows about them. Those files are its only source; this module only gives them a handy form.
 */

import { readAsset } from '../assets.ts';
import type { SpecVersion } from './versions.ts';

/** A Go struct: what a JSON object is decoded into. */
export interface StructType {
  /** Name of the Go type, e.g. `File`; a struct without a name has an empty one. */
  readonly name: string;
  /** The type as Go prints it, e.g. `types.File`. */
  readonly goType: string;
  /** In the order of declaration, which is the order of all checks. */
  readonly fields: readonly Field[];
  /** The fields by `foldName`, for keys that are spelled in another way. */
  readonly byFoldedName: ReadonlyMap<string, Field>;
  /** Names of the fields that tell the items of a list apart: the first that is set counts. */
  readonly keyFields: readonly string[];
}

interface FieldBase {
  readonly name: string;
  /** The type as Go prints it, e.g. `int` or `[]types.File`. */
  readonly goType: string;
  /** The Go struct that is embedded to give this field; Go names it in messages. */
  readonly embedded?: string;
  /** A Go pointer: null resets it. Other scalars and objects ignore null. */
  readonly pointer: boolean;
}

export interface ScalarField extends FieldBase {
  readonly kind: 'string' | 'boolean' | 'integer';
  /** Printed even when it is not set, because Go's tag has no `omitempty`. */
  readonly always: boolean;
}

export interface StructField extends FieldBase {
  readonly kind: 'struct';
  readonly struct: StructType;
}

export interface ListField extends FieldBase {
  readonly kind: 'list';
  /** A struct, or the Go name of a kind of string, e.g. `Device`. */
  readonly element: StructType | string;
  /** Lists of one object that name the same space must not share a key. */
  readonly keySpace: string;
  /** Items may repeat; merging appends them. */
  readonly repeatable: boolean;
}

export type Field = ScalarField | StructField | ListField;

/** The type of a whole config. */
export function configType(version: SpecVersion): StructType {
  let type = configTypes.get(version);
  if (type === undefined) {
    const schema: Schema = JSON.parse(readAsset(schemaPath(version)));
    type = readStruct(schema, 'Config');
    configTypes.set(version, type);
  }
  return type;
}

/** Adds what follows from the fields. */
export function makeStruct(struct: Omit<StructType, 'byFoldedName'>): StructType {
  return { ...struct, byFoldedName: new Map(struct.fields.map((field) => [foldName(field.name), field])) };
}

/** Names compare like this if they are not the same: ASCII letters of either case, `ſ` for s, the Kelvin sign for k. */
export function foldName(name: string): string {
  return foldable.test(name) ? name.replace(foldableAll, foldLetter) : name;
}

/** The struct on a path from the root; undefined where there is none. Indexes are passed over. */
export function structAt(root: StructType, path: readonly (string | number)[]): StructType | undefined {
  let type: StructType | undefined = root;
  for (const step of path) {
    if (typeof step === 'string') type = structOf(type?.fields.find((field) => field.name === step));
  }
  return type;
}

/** The type of the value on a path from the root, as Go prints it; empty where there is none. */
export function goTypeAt(root: StructType, path: readonly (string | number)[]): string {
  let type: StructType | undefined = root;
  let goType = root.goType;
  for (const step of path) {
    const field: Field | undefined = type?.fields.find(({ name }) => name === step);
    if (typeof step === 'string') {
      type = structOf(field);
      goType = field?.goType ?? '';
    } else {
      goType = goType.replace('[]', '');
    }
  }
  return goType;
}

/** The struct that a field, or an item of its list, is decoded into. */
export function structOf(field: Field | undefined): StructType | undefined {
  if (field?.kind === 'struct') return field.struct;
  return field?.kind === 'list' && typeof field.element !== 'string' ? field.element : undefined;
}

const foldable = /[A-Z\u017f\u212a]/;
const foldableAll = /[A-Z\u017f\u212a]/g;

function foldLetter(letter: string): string {
  return letter === '\u017f' ? 's' : letter.toLowerCase();
}

const configTypes = new Map<SpecVersion, StructType>();

function schemaPath(version: SpecVersion): string {
  return `schemas/ignition/${version}.json`;
}

/** What is used of a schema file. */
interface Schema {
  readonly definitions: Readonly<Record<string, Definition>>;
}

interface Definition {
  readonly properties: Readonly<Record<string, Property>>;
  readonly 'x-key'?: readonly string[];
}

interface Property {
  readonly type?: readonly [JsonType, 'null'];
  readonly $ref?: string;
  readonly items?: { readonly $ref?: string };
  readonly 'x-go'?: {
    readonly embedded?: string;
    readonly pointer?: boolean;
    readonly always?: boolean;
    readonly list?: string;
    readonly element?: string;
  };
  readonly 'x-key-space'?: string;
  readonly 'x-repeatable'?: boolean;
}

type JsonType = 'string' | 'boolean' | 'integer' | 'array';

const goScalars = { string: 'string', boolean: 'bool', integer: 'int' } as const;

function readStruct(schema: Schema, name: string): StructType {
  const definition = schema.definitions[name];
  if (definition === undefined) throw new Error(`schema has no definition ${name}`);
  return makeStruct({
    name,
    goType: `types.${name}`,
    fields: Object.entries(definition.properties).map(([key, property]) => readField(schema, key, property)),
    keyFields: definition['x-key'] ?? [],
  });
}

function readField(schema: Schema, name: string, property: Property): Field {
  const { embedded, pointer = false, always = false } = property['x-go'] ?? {};
  const base = { name, pointer, ...(embedded !== undefined && { embedded }) };
  if (property.$ref !== undefined) {
    const struct = readStruct(schema, definitionName(property.$ref));
    return { ...base, kind: 'struct', goType: struct.goType, struct };
  }
  const kind = property.type?.[0] ?? 'array';
  return kind === 'array'
    ? readListField(schema, base, property)
    : { ...base, kind, goType: goScalars[kind], always };
}

function readListField(schema: Schema, base: Omit<FieldBase, 'goType'>, property: Property): ListField {
  const { list, element: stringType = '' } = property['x-go'] ?? {};
  const itemRef = property.items?.$ref;
  const element = itemRef === undefined ? stringType : readStruct(schema, definitionName(itemRef));
  return {
    ...base,
    kind: 'list',
    goType:
      list === undefined
        ? `[]types.${itemRef === undefined ? stringType : definitionName(itemRef)}`
        : `types.${list}`,
    element,
    keySpace: property['x-key-space'] ?? base.name,
    repeatable: property['x-repeatable'] ?? false,
  };
}

function definitionName(ref: string): string {
  return ref.slice('#/definitions/'.length);
}
