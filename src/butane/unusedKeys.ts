/** Keys that Butane ignores, and values that are no objects where an object belongs. */

import { quoteText } from '../core/foreignText.ts';
import { formatPath, type Path } from '../core/finding.ts';
import { isMapping } from '../formats/mapping.ts';
import { nearestName } from '../formats/messageText.ts';
import { itemsOf } from '../ignition/decode.ts';
import { nullObject, unusedKey } from '../ignition/unusedKeys.ts';
import type { ButaneMembers } from './decode.ts';
import { lastEntry, textOfKey, type YamlNode } from './document.ts';
import type { ButaneIssue } from './rules.ts';
import { type ButaneStruct, snakeCase } from './schema.ts';

/** Aliases are not followed: Butane does not look for unused keys in them. */
export function* findUnusedButaneKeys(
  type: ButaneStruct,
  value: ButaneMembers,
  node: YamlNode,
  path: Path = [],
): Generator<ButaneIssue> {
  if (node.kind !== 'mapping') {
    yield {
      rule: nullObject,
      path,
      message: mismatchMessage(path),
      hint: mismatchHint(node),
      offset: node.start,
    };
    return;
  }
  for (const [key] of node.entries) {
    const name = textOfKey(key);
    if (type.fields.has(name)) continue;
    yield {
      rule: unusedKey,
      path: [...path, name],
      message: `unused key ${name}`,
      hint: hintFor(type, name),
      offset: key.start,
    };
  }
  for (const [name, { isPointer, struct, isList }] of type.fields) {
    const [, child] = lastEntry(node, name) ?? [];
    if (struct === undefined || child === undefined) continue;
    const member = value[name];
    if (!isList) {
      if (isMapping(member) || !isPointer)
        yield* findUnusedButaneKeys(struct, isMapping(member) ? member : {}, child, [...path, name]);
      continue;
    }
    if (child.kind !== 'sequence') continue;
    for (const [index, item] of itemsOf(member).entries()) {
      const itemNode = child.items[index];
      if (itemNode !== undefined && isMapping(item))
        yield* findUnusedButaneKeys(struct, item, itemNode, [...path, name, index]);
    }
  }
}

function mismatchMessage(path: Path): string {
  return (
    `context tree does not match content tree at ${formatPath(path)}. ` +
    'Line and column reporting may be inconsistent. Unused keys may not be reported'
  );
}

function mismatchHint(node: YamlNode): string {
  return node.kind === 'alias'
    ? 'write the values instead of the alias, so that unused keys in them are reported'
    : nullObject.hint;
}

function hintFor({ fields }: ButaneStruct, name: string): string {
  const snake = snakeCase(name);
  const field = fields.has(snake) ? snake : nearestName(name, fields.keys());
  return field === undefined ? unusedKey.hint : `use ${quoteText(field)}`;
}
