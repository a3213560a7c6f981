/**
 * What is likely to surprise in a merge: what the child takes over from the parent without saying so, what it removes,
 * and what stays beside it. The parent is whatever has been merged so far.
 */

import type { Finding, Path } from '../core/finding.ts';
import { isMapping } from '../formats/mapping.ts';
import type { Config } from './config.ts';
import type { Members } from './decode.ts';
import { itemKey } from './duplicates.ts';
import { isZero, isZeroMember, normalizeConfig } from './merge.ts';
import { findingOf, warningRule, type Rule } from './rule.ts';
import {
  configType,
  type Field,
  type ListField,
  type StructField,
  structOf,
  type StructType,
} from './schema.ts';
import type { SpecVersion } from './versions.ts';

export const mergeRules = {
  inherited: warningRule(
    'merge-inherits',
    'contents inherit what they leave out',
    'write "compression": "" for none, and a hash of these contents; merging cannot remove a hash',
  ),
  emptied: warningRule(
    'merge-empties',
    'a value of the parent is emptied',
    'repeat the value: in this version merging replaces it even where the child leaves it out',
  ),
  appended: warningRule(
    'merge-appends',
    'items are added to those of the parent',
    'remove from one of the configs what must not be there twice',
  ),
  contentsAppended: warningRule(
    'merge-keeps-append',
    'what the parent appends is appended to these contents as well',
    'remove append from the parent if it belongs to its own contents only',
  ),
  nodeReplaced: warningRule(
    'merge-replaces-node',
    'another kind of node at this path is removed',
    'use another path if both are wanted',
  ),
  argumentMoved: warningRule(
    'merge-moves-argument',
    'a kernel argument changes sides',
    'keep the argument in one of the configs only',
  ),
  partitionApart: warningRule(
    'merge-partition-apart',
    'this partition is not merged with the one of the same label',
    'give the partition the same number in both configs, or in neither',
  ),
  fetchedLater: warningRule(
    'merge-fetched-later',
    'the parent merges further configs on boot, which then win over this one',
    'let the last config refer to the others by ignition.config.merge',
  ),
  replacedLater: warningRule(
    'merge-replaced-later',
    'Ignition will replace the merged config by the one that config.replace names',
    'remove config.replace, or merge into the config that it names',
  ),
};

/** Remarks on merging `child` over `parent`, both of `version`; paths are those of the child. */
export function remarkMerge(parent: Config, child: Config, version: SpecVersion): readonly Finding[] {
  const remarks: Finding[] = [];
  const tell: Tell = (rule, path, message = rule.message) => {
    remarks.push(findingOf({ rule, path, message }));
  };
  remarkFetched(parent, child, tell);
  const [from, to] = [parent, child].map((config) => normalizeConfig(config, version));
  if (isMapping(from) && isMapping(to)) {
    remarkMembers({ type: configType(version), parent: from, child: to, path: [] }, tell);
  }
  return remarks;
}

type Tell = (rule: Rule, path: Path, message?: string) => void;

function remarkFetched(parent: Config, child: Config, tell: Tell): void {
  const { config: parentConfig = {} } = parent.ignition ?? {};
  const { config: childConfig = {}, version: _version, ...section } = child.ignition ?? {};
  if (childConfig.replace?.source !== undefined) {
    tell(mergeRules.replacedLater, ['ignition', 'config', 'replace', 'source']);
  } else if (parentConfig.replace?.source !== undefined) {
    tell(mergeRules.replacedLater, []);
  } else if (saysSomething(parentConfig.merge) && saysSomething({ ...child, ignition: section })) {
    tell(mergeRules.fetchedLater, []);
  }
}

/** Two objects that are merged. */
interface Pair {
  readonly type: StructType;
  readonly parent: Members;
  readonly child: Members;
  /** In the child. */
  readonly path: Path;
}

function remarkMembers(pair: Pair, tell: Tell): void {
  remarksByType[pair.type.name]?.(pair, tell);
  for (const field of pair.type.fields) {
    if (field.kind === 'list') remarkList(pair, field, tell);
    else if (field.kind === 'struct') remarkStruct(pair, field, tell);
    else if (!field.pointer) remarkEmptied(pair, field, tell);
  }
}

function remarkStruct({ parent, child, path }: Pair, field: StructField, tell: Tell): void {
  const inner = { parent: parent[field.name], child: child[field.name] };
  if (!isMapping(inner.parent) || !isMapping(inner.child)) return;
  const { struct: type } = field;
  remarkMembers({ type, parent: inner.parent, child: inner.child, path: [...path, field.name] }, tell);
}

function remarkEmptied({ type, parent, child, path }: Pair, field: Field, tell: Tell): void {
  if (field.name === 'version') return;
  if (isZeroMember(field, parent[field.name]) || !isZeroMember(field, child[field.name])) return;
  const together = type.fields.filter(
    ({ embedded }) => embedded !== undefined && embedded === field.embedded,
  );
  if (together.length > 0 && isZero(together, child)) return;
  const message = `${field.name} is left out here, so that merging empties it`;
  tell(mergeRules.emptied, path, message);
}

function remarkList(pair: Pair, field: ListField, tell: Tell): void {
  const parentItems = itemsOf(pair.parent, field.name);
  const childItems = itemsOf(pair.child, field.name);
  if (childItems.length === 0) return;
  if (field.repeatable) {
    const message = `${field.name} is added to the ${field.name} of the parent`;
    if (parentItems.length > 0) tell(mergeRules.appended, [...pair.path, field.name], message);
    return;
  }
  const { element } = field;
  if (typeof element === 'string') return;
  const byKey = new Map(parentItems.map((item) => [itemKey(element, item), item]));
  for (const [index, child] of childItems.entries()) {
    const parent = byKey.get(itemKey(element, child));
    if (!isMapping(parent) || !isMapping(child)) continue;
    remarkMembers({ type: element, parent, child, path: [...pair.path, field.name, index] }, tell);
  }
}

function itemsOf(members: Members, name: string): readonly unknown[] {
  const items = members[name];
  return Array.isArray(items) ? items : [];
}

const remarksByType: Readonly<Record<string, (pair: Pair, tell: Tell) => void>> = {
  ConfigReference: remarkContents,
  Disk: remarkPartitions,
  File: remarkAppend,
  FileContents: remarkContents,
  KernelArguments: remarkMoved,
  Resource: remarkContents,
  Storage: remarkReplaced,
};

/** Contents merge member by member, so a new source may keep the compression and the hash of the old one. */
function remarkContents({ parent, child, path }: Pair, tell: Tell): void {
  if (!hasNewSource(parent, child)) return;
  const inherited = ['compression', 'verification', 'httpHeaders'].filter(
    (name) => saysSomething(parent[name]) && !saysSomething(child[name]) && child[name] !== '',
  );
  if (inherited.length === 0) return;
  const names = inherited.map((name) => (name === 'verification' ? 'verification.hash' : name));
  const message = `the new source inherits ${names.join(' and ')} of the parent`;
  tell(mergeRules.inherited, [...path, 'source'], message);
}

function hasNewSource(parent: Members, child: Members): boolean {
  return child['source'] !== undefined && child['source'] !== parent['source'];
}

function saysSomething(value: unknown): boolean {
  if (Array.isArray(value)) return value.length > 0;
  if (isMapping(value)) return Object.values(value).some((member) => saysSomething(member));
  return value !== undefined && value !== '';
}

function remarkAppend({ parent, child, path }: Pair, tell: Tell): void {
  const contents = child['contents'];
  const replaced = parent['contents'];
  if (itemsOf(parent, 'append').length === 0 || itemsOf(child, 'append').length > 0) return;
  if (!isMapping(contents) || !hasNewSource(isMapping(replaced) ? replaced : {}, contents)) return;
  tell(mergeRules.contentsAppended, [...path, 'contents', 'source']);
}

/** A number counts more than a label, so one config may mean with the label what the other means with both. */
function remarkPartitions({ type, parent, child, path }: Pair, tell: Tell): void {
  const partition = structOf(type.fields.find(({ name }) => name === 'partitions'));
  if (partition === undefined) return;
  const describe = (item: unknown): Labelled => ({
    label: isMapping(item) ? item['label'] : undefined,
    isNumbered: itemKey(partition, item).startsWith('number:'),
  });
  const ofParent = itemsOf(parent, 'partitions').map(describe);
  const byLabel = new Map(ofParent.map((item) => [item.label, item]));
  for (const [index, item] of itemsOf(child, 'partitions').map(describe).entries()) {
    const other = item.label === undefined ? undefined : byLabel.get(item.label);
    if (other === undefined || other.isNumbered === item.isNumbered) continue;
    tell(mergeRules.partitionApart, [...path, 'partitions', index]);
  }
}

interface Labelled {
  readonly label: unknown;
  readonly isNumbered: boolean;
}

function remarkMoved(pair: Pair, tell: Tell): void {
  for (const { key, list, from, index } of movedItems(pair)) {
    const message = `${JSON.stringify(key)} is removed from ${from} of the parent`;
    tell(mergeRules.argumentMoved, [...pair.path, list, index], message);
  }
}

const nodeKinds: Readonly<Record<string, string>> = {
  directories: 'directory',
  files: 'file',
  links: 'link',
};

function remarkReplaced(pair: Pair, tell: Tell): void {
  for (const { list, from, index } of movedItems(pair)) {
    const message = `this ${nodeKinds[list] ?? list} replaces the ${nodeKinds[from] ?? from} of the parent at the same path`;
    tell(mergeRules.nodeReplaced, [...pair.path, list, index], message);
  }
}

/** An item of the child whose key the parent has in another list that shares the keys. */
interface MovedItem {
  readonly key: string;
  readonly list: string;
  readonly index: number;
  readonly from: string;
}

function* movedItems({ type, parent, child }: Pair): Iterable<MovedItem> {
  const lists = type.fields.filter((field) => field.kind === 'list' && field.keySpace !== field.name);
  const listOf = new Map<string, string>();
  for (const field of lists) {
    if (field.kind !== 'list') continue;
    for (const item of itemsOf(parent, field.name)) listOf.set(itemKey(field.element, item), field.name);
  }
  for (const field of lists) {
    if (field.kind !== 'list') continue;
    for (const [index, item] of itemsOf(child, field.name).entries()) {
      const key = itemKey(field.element, item);
      const from = listOf.get(key);
      if (from !== undefined && from !== field.name) yield { key, list: field.name, index, from };
    }
  }
}
