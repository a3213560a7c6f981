/**
 * The field model of each spec version: which fields there are, in which order, and what Go knows about them. Its only
 * source is `schemas/ignition/VERSION.json`; `schemas/compile.js` gives that the handy form that is declared here, so
 * that the program need not do it whenever it starts.
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
    type = readFieldModel(version);
    configTypes.set(version, type);
  }
  return type;
}

/** The fields of a struct by `foldName`, for keys that are spelled in another way. */
export function fieldsByFoldedName(type: StructType): ReadonlyMap<string, Field> {
  let fields = foldedNames.get(type);
  if (fields === undefined) {
    fields = new Map(type.fields.map((field) => [foldName(field.name), field]));
    foldedNames.set(type, fields);
  }
  return fields;
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
const foldedNames = new WeakMap<StructType, ReadonlyMap<string, Field>>();

function readFieldModel(version: SpecVersion): StructType {
  return JSON.parse(readAsset(`schemas/compiled/fields-${version}.json`));
}
