/**
 * Keys that Ignition ignores, and null in place of an object. Ignition finds both by comparing the decoded config with
 * the exact spelling in the document, so this module walks the bytes along the schema. It is only needed if decoding
 * found oddities. The bytes must be valid JSON that matches the schema.
 */

import { quoteText } from '../core/foreignText.ts';
import { formatPath, type Path } from '../core/finding.ts';
import {
  itemsAt,
  type Member,
  membersAt,
  OPEN_BRACE,
  OPEN_BRACKET,
  skipToToken,
} from '../formats/json/tokens.ts';
import { isMapping } from '../formats/mapping.ts';
import { nearestName } from '../core/nearestNames.ts';
import type { Config } from './config.ts';
import { type Issue, warningRule } from './rule.ts';
import { configType, fieldsByFoldedName, foldName, structAt, structOf, type StructType } from './schema.ts';
import { isSince, type SpecVersion, specVersions } from './versions.ts';

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

/** An issue with its path from the root and its byte offset. */
export interface OffsetIssue extends Issue {
  readonly offset: number;
}

/** The input of the check. */
export interface DecodedDocument {
  readonly bytes: Buffer;
  readonly version: SpecVersion;
  readonly type: StructType;
  readonly config: Config;
}

/** In the order of Ignition; unused keys of one object by position, because Ignition reports them in random order. */
export function findUnusedKeys(document: DecodedDocument): Iterable<OffsetIssue> {
  const start = skipToToken(document.bytes, 0);
  return checkObject(document, { type: document.type, value: document.config, start, path: [] });
}

/** An object of the document with its decoded value; `value` is absent if the object was null. */
interface Place {
  readonly type: StructType;
  readonly value: unknown;
  readonly start: number;
  readonly path: Path;
}

function* checkObject(document: DecodedDocument, place: Place): Iterable<OffsetIssue> {
  const { type, value, start, path } = place;
  if (document.bytes[start] !== OPEN_BRACE) {
    yield {
      rule: nullObject,
      path,
      message:
        `context tree does not match content tree at ${formatPath(path)}. ` +
        'Line and column reporting may be inconsistent. Unused keys may not be reported',
      offset: start,
    };
    return;
  }
  const fields = new Set(type.fields.map((field) => field.name));
  const { members, unknown } = readMembers(document.bytes, start, fields);
  for (const [key, keyStart] of unknown) {
    const name = key.length > LONGEST_KEY ? `${key.slice(0, LONGEST_KEY)}…` : key;
    yield {
      rule: unusedKey,
      path: [...path, name],
      message: `unused key ${name}`,
      // Only determined for findings that are kept: it takes time.
      get hint() {
        return unusedKeyHint(document.version, type, path, name) ?? unusedKey.hint;
      },
      offset: keyStart,
    };
  }
  for (const field of type.fields) {
    const member = members.get(field.name);
    const inner = structOf(field);
    if (member === undefined || inner === undefined) continue;
    const found: Place = {
      type: inner,
      value: isMapping(value) ? value[field.name] : undefined,
      start: member.valueStart,
      path: [...path, field.name],
    };
    if (field.kind === 'list') yield* checkItems(document, found);
    else if (found.value !== undefined || !field.pointer) yield* checkObject(document, found);
  }
}

/**
 * A list may be longer or shorter in the document than decoded, if its key is repeated in another case.
 * @param list the place of the list, with the type of its items
 */
function* checkItems(document: DecodedDocument, list: Place): Iterable<OffsetIssue> {
  const { bytes } = document;
  if (!Array.isArray(list.value) || bytes[list.start] !== OPEN_BRACKET) return;
  const starts = itemsAt(bytes, list.start)[Symbol.iterator]();
  for (const [index, value] of list.value.entries()) {
    const { done, value: start } = starts.next();
    if (done === true) return;
    yield* checkObject(document, { type: list.type, value, start, path: [...list.path, index] });
  }
}

/** Unknown keys beyond this number are not counted for one object. */
const MAX_UNKNOWN = 1_000_000;

/** Maximum length of a key in messages; Ignition has no limit. */
const LONGEST_KEY = 1000;

/** The members with a name of a field, and the offsets of all other keys in their order. The last of repeated keys counts. */
function readMembers(bytes: Buffer, start: number, fields: ReadonlySet<string>) {
  const members = new Map<string, Member>();
  const unknown = new Map<string, number>();
  for (const member of membersAt(bytes, start)) {
    const { name, keyStart } = member;
    if (fields.has(name)) {
      members.set(name, member);
      continue;
    }
    unknown.delete(name);
    if (unknown.size < MAX_UNKNOWN) unknown.set(name, keyStart);
  }
  return { members, unknown };
}

/**
 * The most likely explanation of an unknown key; undefined if there is no likely one.
 * @param path of the object, which is of `type`
 */
function unusedKeyHint(version: SpecVersion, type: StructType, path: Path, key: string): string | undefined {
  if (key.length > LONGEST_GUESS) return undefined;
  return (
    spellingHint(type, key) ??
    newerVersionHint(version, path, key) ??
    butaneHint(type, path, key) ??
    similarNameHint(type, key)
  );
}

const LONGEST_GUESS = 60;

function spellingHint(type: StructType, key: string): string | undefined {
  const field = fieldsByFoldedName(type).get(foldName(key));
  return field && `write ${quoteText(field.name)}: Ignition accepts this spelling, but reports it as unused`;
}

function newerVersionHint(version: SpecVersion, path: Path, key: string): string | undefined {
  const since = specVersions.find(
    (newer) =>
      newer !== version &&
      isSince(newer, version) &&
      structAt(configType(newer), path)?.fields.some(({ name }) => name === key),
  );
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

function similarNameHint(type: StructType, key: string): string | undefined {
  const fields = fieldsByFoldedName(type);
  const nearest = fields.get(nearestName(foldName(key), fields.keys()) ?? '');
  return nearest && `use ${quoteText(nearest.name)}; Ignition ignores ${quoteText(key)}`;
}
