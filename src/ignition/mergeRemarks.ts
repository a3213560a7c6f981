/** What a config inherits implicitly of the one that it is merged into, which is the result of all merges so far. */

import type { Finding, Path } from '../core/finding.ts';
import { issue, warningRule } from '../core/rule.ts';
import { isMapping } from '../formats/mapping.ts';
import type { Config } from './config.ts';
import { itemsOf, type Members } from './decode.ts';
import { itemKey } from './duplicates.ts';
import { normalizeConfig } from './normalize.ts';
import { configType, type StructType } from './schema.ts';
import type { SpecVersion } from './versions.ts';

export const inheritsContents = warningRule(
  'merge-inherits',
  'contents inherit fields that they leave out',
  'set "compression" to "" for none, and set a hash of these contents; merging cannot remove a hash',
);

/** Remarks on merging `child` over `parent`, both of `version`; paths refer to the child. */
export function remarkMerge(parent: Config, child: Config, version: SpecVersion): readonly Finding[] {
  const [from, to] = [parent, child].map((config) => normalizeConfig(config, version));
  return [...remarkMembers(configType(version), from, to, [])];
}

/** @param path in the child */
function* remarkMembers(type: StructType, parent: unknown, child: unknown, path: Path): Iterable<Finding> {
  if (!isMapping(parent) || !isMapping(child)) return;
  if (['ConfigReference', 'FileContents', 'Resource'].includes(type.name)) {
    yield* remarkContents(parent, child, path);
  }
  for (const field of type.fields) {
    const { name } = field;
    if (field.kind === 'struct') {
      yield* remarkMembers(field.struct, parent[name], child[name], [...path, name]);
    }
    if (field.kind !== 'list' || field.repeatable || typeof field.element === 'string') continue;
    const { element } = field;
    const [before, after] = [itemsOf(parent[name]), itemsOf(child[name])];
    const byKey = new Map(before.map((item) => [itemKey(element, item), item]));
    for (const [index, item] of after.entries()) {
      yield* remarkMembers(element, byKey.get(itemKey(element, item)), item, [...path, name, index]);
    }
  }
}

/** Contents are merged field by field, so a new source may keep the compression and the hash of the old one. */
function* remarkContents(parent: Members, child: Members, path: Path): Iterable<Finding> {
  if (child['source'] === undefined || child['source'] === parent['source']) return;
  const inherited = ['compression', 'verification', 'httpHeaders'].filter(
    (name) => saysSomething(parent[name]) && !saysSomething(child[name]) && child[name] !== '',
  );
  if (inherited.length === 0) return;
  const names = inherited.map((name) => (name === 'verification' ? 'verification.hash' : name));
  const message = `the new source inherits ${names.join(' and ')} of the parent`;
  yield { ...issue(inheritsContents, [...path, 'source']), message };
}

function saysSomething(value: unknown): boolean {
  if (Array.isArray(value)) return value.length > 0;
  if (isMapping(value)) return Object.values(value).some((member) => saysSomething(member));
  return value !== undefined && value !== '';
}
