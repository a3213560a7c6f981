/**
 * Duplicate items: Ignition identifies the items of a list by a key (path, name, device …), because merging matches items
 * by key. The schemas define which lists have keys and which lists share them.
 */

import { quoteText } from '../core/foreignText.ts';
import { asList, isMapping, type Mapping } from '../formats/mapping.ts';
import type { Path, Finding } from '../core/finding.ts';
import { asString } from './decode.ts';
import { errorRule, issue } from '../core/rule.ts';
import type { ListField, StructType } from './schema.ts';

export const duplicateEntry = errorRule(
  'duplicate-entry',
  'duplicate entry defined',
  'remove one of the entries, or use different names',
);

/** Items of an object's lists with a key that another item has already; paths are relative to the object. */
export function* findDuplicates(type: StructType, value: Mapping): Iterable<Finding> {
  const seen = new Map<string, Path>();
  for (const field of type.fields) {
    if (field.kind !== 'list' || field.repeatable) continue;
    for (const [index, item] of asList(value[field.name]).entries()) {
      const path = [field.name, index];
      const key = sharedKey(field, item);
      const first = seen.get(key);
      if (first === undefined) seen.set(key, path);
      else {
        const shown = shownKey(itemKey(field.element, item));
        yield issue(duplicateEntry, path, `${shown} is already defined at ${first.join('.')}`);
      }
    }
  }
}

/** The key of an item among those of all lists of the object that share keys. */
export function sharedKey({ element, keySpace }: ListField, item: unknown): string {
  return `${keySpace} ${itemKey(element, item)}`;
}

/** A string itself, an object by its key fields. */
function itemKey(element: StructType | string, item: unknown): string {
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

/** A data URL is not quoted, because it may contain a secret. */
function shownKey(key: string): string {
  if (key === '') return 'an entry without a name';
  return /^data:/i.test(key) ? 'this data URL' : quoteText(key);
}
