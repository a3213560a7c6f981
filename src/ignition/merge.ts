/**
 * Merges two configs as Ignition does on boot: a later config (the child) over an earlier one (the parent). Which lists
 * have keys, what the keys are and which lists share them is in the schemas. Source: Ignition's `config/merge/merge.go`.
 * Configs that `ignition.config` refers to are not fetched: the references are merged like any other list.
 */

import { isMapping } from '../formats/mapping.ts';
import type { Config } from './config.ts';
import type { Members } from './decode.ts';
import { itemKey } from './duplicates.ts';
import {
  configType,
  type Field,
  type ListField,
  type ScalarField,
  type StructField,
  type StructType,
} from './schema.ts';
import type { SpecVersion } from './versions.ts';

/**
 * The merged config, in the form of `normalizeConfig`. Both configs are of `version`; translate them before if they are
 * not. Two valid configs may give one that is not valid, e.g. with two partitions of one label.
 */
export function mergeConfigs(parent: Config, child: Config, version: SpecVersion): Config {
  const { fields } = configType(version);
  const merged = isMapping(parent) && isMapping(child) ? mergeMembers(fields, parent, child) : {};
  return normalizeConfig(merged, version);
}

/** Members that Go embeds as one object, such as what all nodes have in common, are merged like a plain object. */
function mergeMembers(fields: readonly Field[], parent: Members, child: Members): Members {
  const own = fields.filter(({ embedded }) => embedded === undefined);
  const merged = [mergeEach(own, parent, child)];
  for (const name of new Set(fields.flatMap(({ embedded }) => embedded ?? []))) {
    const embedded = fields.filter((field) => field.embedded === name);
    merged.push(mergePlainObjects(embedded, pick(embedded, parent), pick(embedded, child)));
  }
  return Object.fromEntries(merged.flatMap((members) => Object.entries(members)));
}

function mergePlainObjects(fields: readonly Field[], parent: Members, child: Members): Members {
  if (isZero(fields, child)) return parent;
  return isZero(fields, parent) ? child : mergeEach(fields, parent, child);
}

function pick(fields: readonly Field[], members: Members): Members {
  return Object.fromEntries(fields.map(({ name }) => [name, members[name]]));
}

function mergeEach(fields: readonly Field[], parent: Members, child: Members): Members {
  const owners = keyOwners(fields, child);
  return Object.fromEntries(
    fields.map((field) => {
      const both = { parent: parent[field.name], child: child[field.name] };
      return [field.name, mergeMember(field, both, owners)];
    }),
  );
}

/** An item of the child, and the list that it is in. */
interface Owner {
  readonly list: string;
  readonly item: unknown;
}

/** The child's items by key, in each space of keys. */
type KeyOwners = ReadonlyMap<string, ReadonlyMap<string, Owner>>;

function keyOwners(fields: readonly Field[], child: Members): KeyOwners {
  const spaces = new Map<string, Map<string, Owner>>();
  for (const field of fields) {
    if (field.kind !== 'list' || field.repeatable) continue;
    const space = spaces.get(field.keySpace) ?? new Map<string, Owner>();
    spaces.set(field.keySpace, space);
    for (const item of itemsOf(child[field.name])) {
      space.set(itemKey(field.element, item), { list: field.name, item });
    }
  }
  return spaces;
}

interface Both<T = unknown> {
  readonly parent: T;
  readonly child: T;
}

function mergeMember(field: Field, { parent, child }: Both, owners: KeyOwners): unknown {
  if (field.kind === 'struct') return mergeStruct(field, { parent, child });
  if (field.kind === 'list') {
    const lists = { parent: itemsOf(parent), child: itemsOf(child) };
    return field.repeatable
      ? [...lists.parent, ...lists.child]
      : mergeKeyed(field, lists, owners.get(field.keySpace));
  }
  // Go cannot tell a plain scalar that is left out from an empty one, so it replaces the parent's as well.
  return field.pointer ? (child ?? parent) : child;
}

function mergeStruct({ pointer, struct }: StructField, { parent, child }: Both): unknown {
  if (!isMapping(child)) return parent;
  if (!isMapping(parent)) return child;
  if (pointer) return mergeMembers(struct.fields, parent, child);
  if (isZero(struct.fields, child)) return parent;
  return isZero(struct.fields, parent) ? child : mergeMembers(struct.fields, parent, child);
}

function mergeKeyed(
  field: ListField,
  { parent, child }: Both<readonly unknown[]>,
  owners: ReadonlyMap<string, Owner> | undefined,
): readonly unknown[] {
  const merged: unknown[] = [];
  const parentKeys = new Set<string>();
  for (const item of parent) {
    const key = itemKey(field.element, item);
    parentKeys.add(key);
    const owner = owners?.get(key);
    if (owner === undefined) merged.push(item);
    else if (owner.list === field.name) merged.push(...mergeItem(field, { parent: item, child: owner.item }));
  }
  return [...merged, ...child.filter((item) => !parentKeys.has(itemKey(field.element, item)))];
}

function mergeItem(field: ListField, { parent, child }: Both): readonly unknown[] {
  if (typeof field.element === 'string' || !isMapping(parent) || !isMapping(child)) return [child];
  const deletes = field.name === headerList && child['value'] === undefined;
  return deletes ? [] : [mergeMembers(field.element.fields, parent, child)];
}

/** The one list that items can be deleted from: by an item without a value. */
const headerList = 'httpHeaders';

function itemsOf(list: unknown): readonly unknown[] {
  return Array.isArray(list) ? list : [];
}

// Configs in one form: what Ignition itself would print, without what says nothing. Members stand in the order of their
// declaration; those that Go always prints are there even if they are empty (`path`, `name`, `device`). Empty lists are
// left out, and empty objects unless null would be something else (`clevis` and its `custom` in 3.2.0): Ignition prints
// these objects too, but only because Go cannot leave them out. An empty string stays wherever it differs from null,
// because it replaces the parent's when the config is merged: `"compression": ""`, `"source": ""`.

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
