/**
 * The field model of each spec version: fields, their order, and their Go types. The only source is
 * `schemas/ignition/`; `scripts/schemas.js` converts it to the form declared here, so that the program need not convert it
 * at each start.
 */

import { readAsset } from '../core/assets.ts';
import { nearestName } from '../core/nearestNames.ts';
import type { SpecVersion } from './versions.ts';

/** A Go struct into which a JSON object is decoded. */
export interface StructType {
  /** Name of the Go type, e.g. `File`; empty for anonymous structs. */
  readonly name: string;
  /** The type as Go prints it, e.g. `types.File`. */
  readonly goType: string;
  /** In the order of declaration, which is the order of all checks. */
  readonly fields: readonly Field[];
  /** Names of the fields that identify the items of a list: the first one that is set counts. */
  readonly keyFields: readonly string[];
}

interface FieldBase {
  readonly name: string;
  /** The type as Go prints it, e.g. `int` or `[]types.File`. */
  readonly goType: string;
  /** The embedded Go struct that contains this field; Go prints its name in messages. */
  readonly embedded?: string;
  /** A Go pointer: null resets it. Other scalars and objects ignore null. */
  readonly pointer: boolean;
  /** Of a field of Butane: its name in Ignition, if it has one. */
  readonly target?: string;
}

export interface ScalarField extends FieldBase {
  readonly kind: 'string' | 'boolean' | 'integer';
  /** Printed even if it is not set, because the Go tag has no `omitempty`. */
  readonly always: boolean;
}

interface StructField extends FieldBase {
  readonly kind: 'struct';
  readonly struct: StructType;
}

export interface ListField extends FieldBase {
  readonly kind: 'list';
  /** A struct, or the Go name of a string type, e.g. `Device`. */
  readonly element: StructType | string;
  /** Lists of one object with the same name must not share a key. */
  readonly keySpace: string;
  /** Items may repeat; merging appends them. */
  readonly repeatable: boolean;
}

export type Field = ScalarField | StructField | ListField;

export function configType(version: SpecVersion): StructType {
  const known = configTypes.get(version);
  if (known !== undefined) return known;
  const type: StructType = JSON.parse(readAsset(`dist/compiled/fields-${version}.json`));
  configTypes.set(version, type);
  return type;
}

/** The field with this name in any case. */
export function foldedField({ fields }: StructType, key: string): Field | undefined {
  const folded = foldName(key);
  return fields.find(({ name }) => name.length === key.length && foldName(name) === folded);
}

export function nearestField({ fields }: StructType, key: string): Field | undefined {
  const byName = new Map(fields.map((field) => [foldName(field.name), field]));
  return byName.get(nearestName(foldName(key), byName.keys()) ?? '');
}

/** Folds for comparison: ASCII letters in lower case, `ſ` as s, the Kelvin sign as k. */
export function foldName(name: string): string {
  return name.replace(/[A-Z\u017f\u212a]/g, (letter) => (letter === '\u017f' ? 's' : letter.toLowerCase()));
}

/** The struct at a path from the root; undefined if there is no struct. Indexes are skipped. */
export function structAt(root: StructType, path: readonly (string | number)[]): StructType | undefined {
  let type: StructType | undefined = root;
  for (const step of path) {
    if (typeof step === 'string') type = structOf(type?.fields.find((field) => field.name === step));
  }
  return type;
}

/** The first of the versions in which the struct at a path has the field. */
export function versionWith(
  name: string,
  path: readonly (string | number)[],
  versions: readonly SpecVersion[],
): SpecVersion | undefined {
  return versions.find((version) =>
    structAt(configType(version), path)?.fields.some((one) => one.name === name),
  );
}

/** The struct into which a field, or an item of its list, is decoded. */
export function structOf(field: Field | undefined): StructType | undefined {
  if (field?.kind === 'struct') return field.struct;
  return field?.kind === 'list' && typeof field.element !== 'string' ? field.element : undefined;
}

const configTypes = new Map<SpecVersion, StructType>();
