/**
 * Surprising effects of a merge: what the child inherits implicitly from the parent, what it removes, and what it adds.
 * The parent is the result of all merges so far.
 */

import { quoteText } from '../core/foreignText.ts';
import type { Finding, Path } from '../core/finding.ts';
import { asMapping, isMapping } from '../formats/mapping.ts';
import type { Config } from './config.ts';
import { itemsOf, type Members } from './decode.ts';
import { itemKey } from './duplicates.ts';
import { isZero, isZeroMember, normalizeConfig } from './merge.ts';
import { findingOf, warningRule, type Rule } from '../core/rule.ts';
import { configType, type Field, type ListField, structOf, type StructType } from './schema.ts';
import type { SpecVersion } from './versions.ts';

export const mergeRules = {
  inherited: warningRule(
    'merge-inherits',
    'contents inherit fields that they leave out',
    'set "compression" to "" for none, and set a hash of these contents; merging cannot remove a hash',
  ),
  emptied: warningRule(
    'merge-empties',
    'a value of the parent is cleared',
    'repeat the value: in this version, merging replaces it even if the child leaves it out',
  ),
  appended: warningRule(
    'merge-appends',
    'items are appended to those of the parent',
    'remove unwanted duplicates from one of the configs',
  ),
  contentsAppended: warningRule(
    'merge-keeps-append',
    'the appended contents of the parent are appended to these contents as well',
    'remove "append" from the parent if it is intended only for the contents of the parent',
  ),
  nodeReplaced: warningRule(
    'merge-replaces-node',
    'a node of another type at this path is removed',
    'use another path if both nodes are required',
  ),
  argumentMoved: warningRule(
    'merge-moves-argument',
    'a kernel argument moves to the other list',
    'keep the argument in only one of the configs',
  ),
  partitionApart: warningRule(
    'merge-partition-apart',
    'this partition is not merged with the partition that has the same label',
    'set the same number in both configs, or in neither',
  ),
  fetchedLater: warningRule(
    'merge-fetched-later',
    'the parent merges other configs on boot, which take precedence over this one',
    'refer to the other configs by ignition.config.merge of the last config',
  ),
  replacedLater: warningRule(
    'merge-replaced-later',
    'Ignition will replace the merged config with the one that config.replace refers to',
    'remove config.replace, or merge into the config that it refers to',
  ),
};

/** Remarks on merging `child` over `parent`, both of `version`; paths refer to the child. */
export function remarkMerge(parent: Config, child: Config, version: SpecVersion): readonly Finding[] {
  const remarks: Finding[] = [];
  const report: Report = (rule, path, message = rule.message) => {
    remarks.push(findingOf({ rule, path, message }));
  };
  const { config: parentConfig = {} } = parent.ignition ?? {};
  const { config: childConfig = {}, version: _version, ...section } = child.ignition ?? {};
  if (childConfig.replace?.source !== undefined) {
    report(mergeRules.replacedLater, ['ignition', 'config', 'replace', 'source']);
  } else if (parentConfig.replace?.source !== undefined) {
    report(mergeRules.replacedLater, []);
  } else if (saysSomething(parentConfig.merge) && saysSomething({ ...child, ignition: section })) {
    report(mergeRules.fetchedLater, []);
  }
  const [from, to] = [parent, child].map((config) => normalizeConfig(config, version));
  if (isMapping(from) && isMapping(to)) {
    remarkMembers({ type: configType(version), parent: from, child: to, path: [] }, report);
  }
  return remarks;
}

type Report = (rule: Rule, path: Path, message?: string) => void;

/** Two objects that are merged. */
interface Pair {
  readonly type: StructType;
  readonly parent: Members;
  readonly child: Members;
  /** In the child. */
  readonly path: Path;
}

function remarkMembers(pair: Pair, report: Report): void {
  remarksByType[pair.type.name]?.(pair, report);
  for (const field of pair.type.fields) {
    if (field.kind === 'list') remarkList(pair, field, report);
    else if (field.kind === 'struct') {
      const [parent, child] = [pair.parent[field.name], pair.child[field.name]];
      if (!isMapping(parent) || !isMapping(child)) continue;
      remarkMembers({ type: field.struct, parent, child, path: [...pair.path, field.name] }, report);
    } else if (!field.pointer) remarkEmptied(pair, field, report);
  }
}

function remarkEmptied({ type, parent, child, path }: Pair, field: Field, report: Report): void {
  if (field.name === 'version') return;
  if (isZeroMember(field, parent[field.name]) || !isZeroMember(field, child[field.name])) return;
  const together = type.fields.filter(
    ({ embedded }) => embedded !== undefined && embedded === field.embedded,
  );
  if (together.length > 0 && isZero(together, child)) return;
  const message = `${field.name} is left out here, so merging clears it`;
  report(mergeRules.emptied, path, message);
}

function remarkList(pair: Pair, field: ListField, report: Report): void {
  const parentItems = itemsOf(pair.parent[field.name]);
  const childItems = itemsOf(pair.child[field.name]);
  if (childItems.length === 0) return;
  if (field.repeatable) {
    const message = `${field.name} is appended to the ${field.name} of the parent`;
    if (parentItems.length > 0) report(mergeRules.appended, [...pair.path, field.name], message);
    return;
  }
  const { element } = field;
  if (typeof element === 'string') return;
  const byKey = new Map(parentItems.map((item) => [itemKey(element, item), item]));
  for (const [index, child] of childItems.entries()) {
    const parent = byKey.get(itemKey(element, child));
    if (!isMapping(parent) || !isMapping(child)) continue;
    remarkMembers({ type: element, parent, child, path: [...pair.path, field.name, index] }, report);
  }
}

const remarksByType: Readonly<Record<string, (pair: Pair, report: Report) => void>> = {
  ConfigReference: remarkContents,
  Disk: remarkPartitions,
  File: remarkAppend,
  FileContents: remarkContents,
  KernelArguments: remarkMoved,
  Resource: remarkContents,
  Storage: remarkReplaced,
};

/** Contents are merged field by field, so a new source may keep the compression and the hash of the old one. */
function remarkContents({ parent, child, path }: Pair, report: Report): void {
  if (!hasNewSource(parent, child)) return;
  const inherited = ['compression', 'verification', 'httpHeaders'].filter(
    (name) => saysSomething(parent[name]) && !saysSomething(child[name]) && child[name] !== '',
  );
  if (inherited.length === 0) return;
  const names = inherited.map((name) => (name === 'verification' ? 'verification.hash' : name));
  const message = `the new source inherits ${names.join(' and ')} of the parent`;
  report(mergeRules.inherited, [...path, 'source'], message);
}

function hasNewSource(parent: Members, child: Members): boolean {
  return child['source'] !== undefined && child['source'] !== parent['source'];
}

function saysSomething(value: unknown): boolean {
  if (Array.isArray(value)) return value.length > 0;
  if (isMapping(value)) return Object.values(value).some((member) => saysSomething(member));
  return value !== undefined && value !== '';
}

function remarkAppend({ parent, child, path }: Pair, report: Report): void {
  const contents = child['contents'];
  if (itemsOf(parent['append']).length === 0 || itemsOf(child['append']).length > 0) return;
  if (!isMapping(contents) || !hasNewSource(asMapping(parent['contents']), contents)) return;
  report(mergeRules.contentsAppended, [...path, 'contents', 'source']);
}

/** A number takes precedence over a label, so a label in one config may refer to a partition with both in the other. */
function remarkPartitions({ type, parent, child, path }: Pair, report: Report): void {
  const partition = structOf(type.fields.find(({ name }) => name === 'partitions'));
  if (partition === undefined) return;
  const isNumbered = (item: unknown): boolean => itemKey(partition, item).startsWith('number:');
  const byLabel = new Map<unknown, unknown>();
  for (const item of itemsOf(parent['partitions'])) byLabel.set(asMapping(item)['label'], item);
  for (const [index, item] of itemsOf(child['partitions']).entries()) {
    const { label } = asMapping(item);
    if (label === undefined || !byLabel.has(label)) continue;
    if (isNumbered(item) === isNumbered(byLabel.get(label))) continue;
    report(mergeRules.partitionApart, [...path, 'partitions', index]);
  }
}

function remarkMoved(pair: Pair, report: Report): void {
  for (const { key, list, from, index } of movedItems(pair)) {
    const message = `${quoteText(key)} is removed from ${from} of the parent`;
    report(mergeRules.argumentMoved, [...pair.path, list, index], message);
  }
}

const nodeKinds: Readonly<Record<string, string>> = {
  directories: 'directory',
  files: 'file',
  links: 'link',
};

function remarkReplaced(pair: Pair, report: Report): void {
  for (const { list, from, index } of movedItems(pair)) {
    const message = `this ${nodeKinds[list] ?? list} replaces the ${nodeKinds[from] ?? from} of the parent at the same path`;
    report(mergeRules.nodeReplaced, [...pair.path, list, index], message);
  }
}

/** An item of the child whose key the parent has in another list: both lists share their keys. */
interface MovedItem {
  readonly key: string;
  /** The list of the child, and the index of the item in it. */
  readonly list: string;
  readonly index: number;
  /** The list of the parent. */
  readonly from: string;
}

function* movedItems({ type, parent, child }: Pair): Iterable<MovedItem> {
  const lists = type.fields
    .filter((field) => field.kind === 'list')
    .filter(({ keySpace, name }) => keySpace !== name);
  const listOf = new Map<string, string>();
  for (const field of lists) {
    for (const item of itemsOf(parent[field.name])) listOf.set(itemKey(field.element, item), field.name);
  }
  for (const field of lists) {
    for (const [index, item] of itemsOf(child[field.name]).entries()) {
      const key = itemKey(field.element, item);
      const from = listOf.get(key);
      if (from !== undefined && from !== field.name) yield { key, list: field.name, index, from };
    }
  }
}
