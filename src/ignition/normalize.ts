/**
 * Configs in one form: what Ignition itself would print, without what says nothing. Members stand in the order of their
 * declaration; those that Go always prints are there even if they are empty (`path`, `name`, `device`). Empty lists are
 * left out, and empty objects unless null would be something else (`clevis` and its `custom` in 3.2.0): Ignition prints
 * these objects too, but only because Go cannot leave them out. An empty string stays wherever it differs from null,
 * because it replaces the parent's when the config is merged: `"compression": ""`, `"source": ""`.
 */

import { isMapping } from '../formats/mapping.ts';
import type { Config } from './config.ts';
import type { Members } from './decode.ts';
import { configType, type Field, type ListField, type ScalarField, type StructType } from './schema.ts';
import type { SpecVersion } from './versions.ts';

/** The config in its one form; members that the version does not have are left out. */
export function normalizeConfig(config: Config, version: SpecVersion): Config {
  return isMapping(config) ? normalizeMembers(configType(version), config) : {};
}

function normalizeMembers(type: StructType, members: Members): Members {
  const result: Record<string, unknown> = {};
  for (const field of type.fields) {
    const member = normalizeMember(field, members[field.name]);
    if (member !== undefined) result[field.name] = member;
  }
  return result;
}

function normalizeMember(field: Field, member: unknown): unknown {
  if (field.kind === 'struct') return normalizeStruct(field.struct, member, field.pointer);
  return field.kind === 'list' ? normalizeList(field, member) : normalizeScalar(field, member);
}

function normalizeStruct(type: StructType, member: unknown, isNullable: boolean): Members | undefined {
  if (!isMapping(member)) return undefined;
  const members = normalizeMembers(type, member);
  return isNullable || Object.keys(members).length > 0 ? members : undefined;
}

function normalizeList({ element }: ListField, member: unknown): readonly unknown[] | undefined {
  if (!Array.isArray(member) || member.length === 0) return undefined;
  if (typeof element === 'string') return member;
  return member.map((item: unknown) => (isMapping(item) ? normalizeMembers(element, item) : {}));
}

function normalizeScalar(field: ScalarField, member: unknown): unknown {
  if (field.always && !field.pointer) return member ?? zeroScalar(field);
  return isZeroMember(field, member) ? undefined : member;
}

/**
 * Zero values, as Go has them: a member that is absent, and a plain one that is empty, are the same to Ignition. Of
 * what is nullable (a Go pointer), an empty value counts as given. What an absent plain scalar is read as.
 */
function zeroScalar({ kind }: ScalarField): string | boolean | number {
  return zeroScalars[kind];
}

const zeroScalars = { string: '', boolean: false, integer: 0 } as const;

/** Whether none of these members says anything. An empty list does, as Go tells it from none. */
export function isZero(fields: readonly Field[], members: Members): boolean {
  return fields.every((field) => isZeroMember(field, members[field.name]));
}

/** Whether one member says nothing. */
export function isZeroMember(field: Field, member: unknown): boolean {
  if (member === undefined) return true;
  if (field.pointer || field.kind === 'list') return false;
  if (field.kind === 'struct') return !isMapping(member) || isZero(field.struct.fields, member);
  return member === zeroScalar(field);
}
