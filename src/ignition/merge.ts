/**
 * Merges two configs like Ignition on boot: a later config (the child) over an earlier one (the parent). The schemas define
 * which lists have keys, the key fields, and which lists share keys. Source: Ignition's `config/merge/merge.go`. Configs
 * that `ignition.config` refers to are not fetched: the references are merged like any other list.
 */

import { append } from '../core/lists.ts';
import { asList, asMapping, isMapping, type Mapping } from '../formats/mapping.ts';
import type { Config } from './config.ts';
import { sharedKey } from './duplicates.ts';
import { madeOf } from './origins.ts';
import { isZero, normalizeConfig } from './normalize.ts';
import { configType, type Field, type ListField } from './schema.ts';
import type { SpecVersion } from './versions.ts';

/**
 * The merged config, in the form of `normalizeConfig`. Both configs must be of `version`; translate them first if
 * necessary. Two valid configs may result in an invalid one, e.g. with two partitions of the same label.
 */
export function mergeConfigs(parent: Config, child: Config, version: SpecVersion): Config {
  const { fields } = configType(version);
  return normalizeConfig(mergeMembers(fields, asMapping(parent), asMapping(child)), version);
}

/** Fields that Go embeds as one object, such as those that all nodes share, are merged like a plain object. */
function mergeMembers(fields: readonly Field[], parent: Mapping, child: Mapping): Mapping {
  const own = fields.filter(({ embedded }) => embedded === undefined);
  const merged = [mergeEach(own, parent, child)];
  for (const name of new Set(fields.flatMap(({ embedded }) => embedded ?? []))) {
    const embedded = fields.filter((field) => field.embedded === name);
    merged.push(mergePlainObjects(embedded, pick(embedded, parent), pick(embedded, child)));
  }
  const all = Object.fromEntries(merged.flatMap((members) => Object.entries(members)));
  return madeOf(all, parent, child);
}

function mergePlainObjects(fields: readonly Field[], parent: Mapping, child: Mapping): Mapping {
  if (isZero(fields, child)) return parent;
  return isZero(fields, parent) ? child : mergeEach(fields, parent, child);
}

function pick(fields: readonly Field[], members: Mapping): Mapping {
  return Object.fromEntries(fields.map(({ name }) => [name, members[name]]));
}

function mergeEach(fields: readonly Field[], parent: Mapping, child: Mapping): Mapping {
  const owners = new Map<string, { list: string; item: unknown }>();
  for (const field of fields) {
    if (field.kind !== 'list' || field.repeatable) continue;
    for (const item of asList(child[field.name])) {
      owners.set(sharedKey(field, item), { list: field.name, item });
    }
  }
  return Object.fromEntries(
    fields.map((field) => [field.name, mergeMember(field, parent[field.name], child[field.name], owners)]),
  );
}

/** The child's items by `sharedKey`, each with the name of its list. */
type KeyOwners = ReadonlyMap<string, { readonly list: string; readonly item: unknown }>;

function mergeMember(field: Field, parent: unknown, child: unknown, owners: KeyOwners): unknown {
  if (field.kind === 'struct') {
    if (!isMapping(child)) return parent;
    if (!isMapping(parent)) return child;
    if (field.pointer) return mergeMembers(field.struct.fields, parent, child);
    if (isZero(field.struct.fields, child)) return parent;
    return isZero(field.struct.fields, parent) ? child : mergeMembers(field.struct.fields, parent, child);
  }
  if (field.kind === 'list') {
    const merged = field.repeatable
      ? [...asList(parent), ...asList(child)]
      : mergeKeyed(field, asList(parent), asList(child), owners);
    return madeOf(merged, parent, child);
  }
  // Go cannot distinguish an absent plain scalar from an empty one, so the child's empty value replaces the parent's.
  return field.pointer ? (child ?? parent) : child;
}

function mergeKeyed(
  field: ListField,
  parent: readonly unknown[],
  child: readonly unknown[],
  owners: KeyOwners,
): readonly unknown[] {
  const merged: unknown[] = [];
  const parentKeys = new Set<string>();
  for (const item of parent) {
    const key = sharedKey(field, item);
    parentKeys.add(key);
    const owner = owners.get(key);
    if (owner === undefined) merged.push(item);
    else if (owner.list === field.name) append(merged, mergeItem(field, item, owner.item));
  }
  return [...merged, ...child.filter((item) => !parentKeys.has(sharedKey(field, item)))];
}

function mergeItem(field: ListField, parent: unknown, child: unknown): readonly unknown[] {
  if (typeof field.element === 'string' || !isMapping(parent) || !isMapping(child)) return [child];
  // The only list from which items can be deleted, by an item without a value.
  const deletes = field.name === 'httpHeaders' && child['value'] === undefined;
  return deletes ? [] : [mergeMembers(field.element.fields, parent, child)];
}
