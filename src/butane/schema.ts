/** The objects of a Butane version: those of its Ignition spec with Butane's names, and the fields that Butane adds. */

import { configType, type Field, structOf, type StructType } from '../ignition/schema.ts';
import type { ButaneRules, FieldSpec } from './versions.ts';

export interface ButaneStruct {
  /** Go name, e.g. `BootDevice`. */
  readonly name: string;
  readonly fields: ReadonlyMap<string, ButaneField>;
}

export interface ButaneField {
  /** The name in Ignition; undefined for a field that only Butane has. */
  readonly target: string | undefined;
  readonly kind: 'string' | 'integer' | 'boolean' | 'struct';
  readonly isList: boolean;
  /** Of an object. */
  readonly struct: ButaneStruct | undefined;
  /** null makes it absent, while it leaves other scalars and objects as they are. */
  readonly isPointer: boolean;
}

export function butaneType(rules: ButaneRules): ButaneStruct {
  return new Structs(rules).ofIgnition(configType(rules.spec));
}

/** `sizeMiB` to `size_mib`. */
export function snakeCase(name: string): string {
  return name.replaceAll(/MiB|[A-Z]/g, (part) => `_${part}`).toLowerCase();
}

class Structs {
  readonly #known = new Map<string, ButaneStruct>();
  readonly #rules: ButaneRules;

  constructor(rules: ButaneRules) {
    this.#rules = rules;
  }

  ofIgnition(type: StructType): ButaneStruct {
    const known = this.#known.get(type.name);
    if (known !== undefined) return known;
    const fields = new Map<string, ButaneField>();
    for (const field of type.fields) {
      // The version of the spec is that of the document.
      if (type.name === 'Ignition' && field.name === 'version') continue;
      fields.set(snakeCase(field.name), this.#fieldOf(field));
    }
    return this.#complete(type.name, fields);
  }

  #fieldOf(field: Field): ButaneField {
    const inner = structOf(field);
    const struct = inner && this.ofIgnition(inner);
    const isList = field.kind === 'list';
    const kind = isList || field.kind === 'struct' ? (struct ? 'struct' : 'string') : field.kind;
    return { target: field.name, kind, isList, struct, isPointer: isList || field.pointer };
  }

  #complete(name: string, fields: Map<string, ButaneField>): ButaneStruct {
    const struct = { name, fields };
    this.#known.set(name, struct);
    for (const { [name]: added = {} } of this.#rules.adds) {
      for (const [field, spec] of Object.entries(added)) fields.set(field, this.#added(spec));
    }
    return struct;
  }

  #added(spec: FieldSpec): ButaneField {
    const [, plain = '', list = '', name = ''] = /^(!?)(\[?)(\w+)/.exec(spec) ?? [];
    const isList = list !== '';
    if (name === 'string' || name === 'integer' || name === 'boolean') {
      return { target: undefined, kind: name, isList, struct: undefined, isPointer: isList || plain === '' };
    }
    const struct = this.#known.get(name) ?? this.#complete(name, new Map());
    return { target: undefined, kind: 'struct', isList, struct, isPointer: isList };
  }
}
