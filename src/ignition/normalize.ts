/**
 * The normalised form of configs: the output of Ignition without empty values. Members are in the order of their declaration;
 * members that Go always prints are present even if empty (`path`, `name`, `device`). Empty lists are omitted, and empty objects
 * unless null would have another meaning (`clevis` and its `custom` in 3.2.0): Ignition prints these objects too, but only
 * because Go cannot omit them. An empty string remains wherever it differs from null, because it replaces the value of the
 * parent in a merge: `"compression": ""`, `"source": ""`.
 */

import { asMapping, asMappings, isMapping, type Mapping } from '../formats/mapping.ts';
import type { Config } from './config.ts';
import { madeOf } from './origins.ts';
import { configType, type Field, type StructType } from './schema.ts';
import type { SpecVersion } from './versions.ts';

/** The normalised config; members that the version does not have are removed. */
export function normalizeConfig(config: Config, version: SpecVersion): Config {
  return normalizeMembers(configType(version), asMapping(config));
}

function normalizeMembers(type: StructType, members: Mapping): Mapping {
  const result: Record<string, unknown> = {};
  for (const field of type.fields) {
    const member = normalizeMember(field, members[field.name]);
    if (member !== undefined) result[field.name] = member;
  }
  return madeOf(result, members);
}

function normalizeMember(field: Field, member: unknown): unknown {
  if (field.kind === 'struct') {
    if (!isMapping(member)) return undefined;
    const members = normalizeMembers(field.struct, member);
    return field.pointer || Object.keys(members).length > 0 ? members : undefined;
  }
  if (field.kind === 'list') {
    const { element } = field;
    if (!Array.isArray(member) || member.length === 0) return undefined;
    if (typeof element === 'string') return member;
    const items = asMappings(member).map((item) => normalizeMembers(element, item));
    return madeOf(items, member);
  }
  if (field.always && !field.pointer) return member ?? zeroScalars[field.kind];
  return isZeroMember(field, member) ? undefined : member;
}

/**
 * Zero values of Go: an absent member and an empty plain one are equal to Ignition. An empty nullable value (a Go pointer)
 * counts as set.
 */
const zeroScalars = { string: '', boolean: false, integer: 0 } as const;

/** Whether all members are empty. An empty list is not, because Go distinguishes it from an absent one. */
export function isZero(fields: readonly Field[], members: Mapping): boolean {
  return fields.every((field) => isZeroMember(field, members[field.name]));
}

function isZeroMember(field: Field, member: unknown): boolean {
  if (member === undefined) return true;
  if (field.pointer || field.kind === 'list') return false;
  if (field.kind === 'struct') return !isMapping(member) || isZero(field.struct.fields, member);
  return member === zeroScalars[field.kind];
}

/** Whether a value, or one in it, is neither absent nor empty, false or 0. */
export function hasContent(value: unknown): boolean {
  if (Array.isArray(value)) return value.length > 0;
  if (isMapping(value)) return Object.values(value).some((member) => hasContent(member));
  return value !== undefined && value !== '' && value !== false && value !== 0;
}
