/**
 * Keys that Ignition ignores, and null in place of an object. Ignition finds both by comparing the decoded config with
 * the exact spelling in the document, which matches the schema. Butane does the same with its documents.
 */

import { quoteText } from '../core/foreignText.ts';
import { formatPath, type Path, type Finding } from '../core/finding.ts';
import { type DocumentNode, outerStart } from '../formats/documentTree.ts';
import { asList, asMapping } from '../formats/mapping.ts';
import { warningRule } from '../core/rule.ts';
import { type Field, foldedField, nearestField, structOf, type StructType, versionWith } from './schema.ts';
import { type SpecVersion, specVersions } from './versions.ts';

export const unusedKey = warningRule(
  'unused-key',
  'unused key',
  'remove the key, or fix its name or position: Ignition ignores it',
);

export const nullObject = warningRule(
  'null-object',
  'context tree does not match content tree',
  'remove it, or write {}: null counts as an empty object here',
);

export interface OffsetFinding extends Finding {
  readonly offset?: number;
}

/** An object of the document with its decoded value, which is absent if the object was null. */
interface Place {
  readonly type: StructType;
  readonly value: unknown;
  readonly node: DocumentNode;
  readonly path: Path;
}

/**
 * In the order of Ignition; unused keys of one object by position, because Ignition reports them in random order. Aliases of YAML
 * are not followed.
 * @param hintOf explains an unknown key of an object
 */
export function* findUnusedKeys(
  { type, value, node, path }: Place,
  hintOf: (type: StructType, path: Path, key: string) => string | undefined,
): Iterable<OffsetFinding> {
  if (node.kind !== 'mapping') {
    yield {
      ...nullObject,
      path,
      message:
        `context tree does not match content tree at ${formatPath(path)}. ` +
        'Line and column reporting may be inconsistent. Unused keys may not be reported',
      hint:
        node.kind === 'alias'
          ? 'write the values instead of the alias, so that unused keys in them are reported'
          : nullObject.hint,
      offset: outerStart(node),
    };
    return;
  }
  // Of repeated keys, the last one counts.
  const children = new Map<Field, DocumentNode>();
  const unknown = new Map<string, DocumentNode>();
  for (const { key, value: child } of node.entries) {
    const field = type.fields.find(({ name }) => name === key.text);
    if (field !== undefined) {
      if (structOf(field) !== undefined) children.set(field, child);
      continue;
    }
    unknown.delete(key.text);
    unknown.set(key.text, key);
  }
  for (const [key, keyNode] of unknown) {
    yield {
      ...unusedKey,
      path: [...path, key],
      message: `unused key ${key}`,
      hint: hintOf(type, path, key) ?? unusedKey.hint,
      offset: outerStart(keyNode),
    };
  }
  for (const field of type.fields) {
    const inner = structOf(field);
    const child = children.get(field);
    if (inner === undefined || child === undefined) continue;
    const member = asMapping(value)[field.name];
    const found = { type: inner, value: member, node: child, path: [...path, field.name] };
    if (field.kind !== 'list') {
      if (member !== undefined || !field.pointer) yield* findUnusedKeys(found, hintOf);
    } else if (child.kind === 'sequence') {
      // There may be more or fewer items than were decoded: a key may be repeated in another case, null may be left out.
      const items = asList(member);
      for (const [index, item] of child.items.slice(0, items.length).entries()) {
        const itemPath = [...found.path, index];
        yield* findUnusedKeys({ ...found, value: items[index], node: item, path: itemPath }, hintOf);
      }
    }
  }
}

/**
 * The most likely explanation of an unknown key in a config; undefined if there is no likely one.
 * @param path of the object, which is of `type`
 */
export function unusedKeyHint(
  version: SpecVersion,
  type: StructType,
  path: Path,
  key: string,
): string | undefined {
  const same = foldedField(type, key);
  const nearest = nearestField(type, key);
  return (
    (same && `write ${quoteText(same.name)}: Ignition accepts this spelling, but reports it as unused`) ??
    newerVersionHint(version, path, key) ??
    butaneHint(type, path, key) ??
    (nearest && `use ${quoteText(nearest.name)}; Ignition ignores ${quoteText(key)}`)
  );
}

function newerVersionHint(version: SpecVersion, path: Path, key: string): string | undefined {
  const newer = specVersions.slice(specVersions.indexOf(version) + 1);
  const since = versionWith(key, path, newer);
  return (
    since &&
    `use spec version ${since} or newer for ${quoteText(key)}; in a ${version} config Ignition ignores it`
  );
}

function butaneHint(type: StructType, path: Path, key: string): string | undefined {
  const camelCase = key.replace(/_([a-z])/g, (_match, letter: string) => letter.toUpperCase());
  const field = type.fields.find(({ name }) => name === camelCase);
  if (field !== undefined)
    return `use ${quoteText(field.name)}, the name in Ignition; this is the name in Butane`;
  const isButane =
    (path.length === 0 && key === 'variant') ||
    (type.fields.some(({ name }) => name === 'source') && (key === 'inline' || key === 'local'));
  return isButane
    ? `write the config as a Butane config in YAML: ${quoteText(key)} is a Butane key that Ignition ignores`
    : undefined;
}
