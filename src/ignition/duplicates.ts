/**
 * Duplicate items: Ignition identifies the items of a list by a key (path, name, device …), because merging matches items
 * by key. The schemas define which lists have keys and which lists share them.
 */

import { quoteText } from '../core/foreignText.ts';
import { isMapping } from '../formats/mapping.ts';
import type { Path } from '../core/finding.ts';
import { asString, type Members } from './decode.ts';
import { errorRule, type Issue } from '../core/rule.ts';
import type { StructType } from './schema.ts';

export const duplicateEntry = errorRule(
  'duplicate-entry',
  'duplicate entry defined',
  'remove one of the entries, or use different names',
);

/** Items of an object's lists with a key that another item has already; paths are relative to the object. */
export function* findDuplicates(type: StructType, value: Members): Iterable<Issue> {
  const spaces = new Map<string, KeySpace>();
  for (const field of type.fields) {
    if (field.kind !== 'list' || field.repeatable) continue;
    const items = value[field.name];
    if (!Array.isArray(items)) continue;
    const space: KeySpace = spaces.get(field.keySpace) ?? { seen: new Map(), lists: [], size: 0 };
    spaces.set(field.keySpace, space);
    space.lists.push({ name: field.name, start: space.size });
    for (const [index, item] of items.entries()) {
      const key = itemKey(field.element, item);
      const first = space.seen.get(key);
      if (first === undefined) space.seen.set(key, space.size + index);
      else yield { rule: duplicateEntry, path: [field.name, index], hint: hint(key, pathOf(space, first)) };
    }
    space.size += items.length;
  }
}

/** Lists that share keys, with items numbered consecutively: a path for each item would need much more memory. */
interface KeySpace {
  readonly seen: Map<string, number>;
  readonly lists: { readonly name: string; readonly start: number }[];
  size: number;
}

function pathOf({ lists }: KeySpace, item: number): Path {
  const list = lists.findLast(({ start }) => start <= item);
  return list === undefined ? [] : [list.name, item - list.start];
}

/** The key of an item: a string itself, an object by its key fields. */
export function itemKey(element: StructType | string, item: unknown): string {
  if (typeof element === 'string' || !isMapping(item)) return keyText(item);
  const [only, ...others] = element.keyFields;
  if (only !== undefined && others.length === 0) return keyText(item[only]);
  // A number 0 counts as absent, an empty string does not; only partitions have two key fields.
  const name = element.keyFields.find((field) => {
    const value = item[field];
    return value !== undefined && value !== 0;
  });
  return name === undefined ? '' : `${name}:${keyText(item[name])}`;
}

function keyText(value: unknown): string {
  return typeof value === 'number' || typeof value === 'bigint' ? value.toString() : asString(value);
}

function hint(key: string, first: Path): string {
  return `${shownKey(key)} is already defined at ${first.join('.')}`;
}

/** A data URL is not quoted, because it may contain a secret. */
function shownKey(key: string): string {
  if (key === '') return 'an entry without a name';
  return /^data:/i.test(key) ? 'this data URL' : quoteText(key);
}
