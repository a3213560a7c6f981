/** The objects of a Butane version: those of its Ignition spec with Butane's names, and the fields that Butane adds. */

import { configType, type Field, type StructType } from '../ignition/schema.ts';
import type { ButaneRules, FieldSpec } from './versions.ts';

export function butaneType(rules: ButaneRules): StructType {
  return new Structs(rules).ofIgnition(configType(rules.spec));
}

/** `sizeMiB` to `size_mib`. */
export function snakeCase(name: string): string {
  return name.replaceAll(/MiB|[A-Z]/g, (part) => `_${part}`).toLowerCase();
}

class Structs {
  readonly #known = new Map<string, StructType>();
  readonly #rules: ButaneRules;

  constructor(rules: ButaneRules) {
    this.#rules = rules;
  }

  ofIgnition(type: StructType): StructType {
    const known = this.#known.get(type.name);
    if (known !== undefined) return known;
    const fields = type.fields
      // The version of the spec is that of the document.
      .filter(({ name }) => type.name !== 'Ignition' || name !== 'version')
      .map((field) => this.#renamed(field));
    return this.#complete({ ...type, fields });
  }

  #renamed(field: Field): Field {
    const names = { name: snakeCase(field.name), target: field.name };
    if (field.kind === 'struct') return { ...field, ...names, struct: this.ofIgnition(field.struct) };
    if (field.kind === 'list' && typeof field.element !== 'string') {
      return { ...field, ...names, element: this.ofIgnition(field.element) };
    }
    return { ...field, ...names };
  }

  #complete(type: StructType): StructType {
    const fields = [...type.fields];
    const struct = { ...type, fields };
    this.#known.set(type.name, struct);
    for (const { [type.name]: added = {} } of this.#rules.adds) {
      for (const [name, spec] of Object.entries(added)) fields.push(this.#added(name, spec));
    }
    return struct;
  }

  #added(name: string, spec: FieldSpec): Field {
    const [, plain = '', list = '', typeName = ''] = /^(!?)(\[?)(\w+)/.exec(spec) ?? [];
    const isScalar = typeName === 'string' || typeName === 'integer' || typeName === 'boolean';
    const struct = (): StructType =>
      this.#known.get(typeName) ?? this.#complete({ name: typeName, goType: '', fields: [], keyFields: [] });
    const base = { name, goType: '', pointer: false };
    if (list !== '') {
      const element = isScalar ? typeName : struct();
      return { ...base, kind: 'list', element, keySpace: name, repeatable: true };
    }
    return isScalar
      ? { ...base, kind: typeName, pointer: plain === '', always: false }
      : { ...base, kind: 'struct', struct: struct() };
  }
}
