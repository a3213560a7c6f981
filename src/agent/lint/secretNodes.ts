/**
 * Where the secrets of an Ignition config stand in its text. Every value is found that Ignition could read as a secret:
 * also below a key that is misspelt, in another case or repeated, and of a wrong type.
 */

import { nearestName } from '../../formats/messageText.ts';
import type { ScalarNode, Span, TextNode } from '../../formats/textNode.ts';
import {
  configType,
  type Field,
  fieldsByFoldedName,
  foldName,
  type StructType,
} from '../../ignition/schema.ts';
import { newestVersion } from '../../ignition/versions.ts';
import { isSecretName } from '../../core/masking.ts';
import { findSecretParts, findSecretSource, joinSpans } from '../secretText.ts';

/** Whether the file at a path of the host is a secret, whatever its mode is. */
export type IsSecretFile = (path: string) => boolean;

/** Places of secrets in a config, in order. */
export function findSecretNodes(root: TextNode, isSecretFile: IsSecretFile): Span[] {
  const search: Search = { isSecretFile, spans: [] };
  searchNode(search, root, { type: configType(newestVersion), isSecret: false });
  return joinSpans(search.spans);
}

interface Search {
  readonly isSecretFile: IsSecretFile;
  readonly spans: Span[];
}

/** What is known of a value by what stands around it. */
interface Context {
  /** Undefined for what Ignition does not know. */
  readonly type: StructType | undefined;
  /** The contents of a file, or of what else is fetched, are secret. */
  readonly isSecret: boolean;
  /** How a text is searched; without, for what may be in any text. */
  readonly find?: (text: string) => readonly Span[];
}

/** Recursion is as deep as the type; below what Ignition does not know, as deep as `maxUnknown`. */
function searchNode(search: Search, node: TextNode, context: Context, unknown = 0): void {
  if (node.kind === 'scalar') return searchScalar(search, node, context.find ?? findSecretParts);
  if (unknown > maxUnknown) return;
  const below = context.type === undefined ? unknown + 1 : 0;
  if (node.kind === 'list') {
    for (const item of node.items()) searchNode(search, item, context, below);
    return;
  }
  const inner = { ...context, isSecret: context.isSecret || isSecretObject(search, node, context.type) };
  for (const [key, value] of node.entries()) searchNode(search, value, contextOf(key, inner), below);
}

/** Levels of a config have no more than this. */
const maxUnknown = 64;

function searchScalar(search: Search, node: ScalarNode, find: (text: string) => readonly Span[]): void {
  for (const part of find(node.text)) search.spans.push(node.locate(part));
}

function everything(text: string): readonly Span[] {
  return text === '' || text === 'null' ? [] : [{ start: 0, end: text.length }];
}

function contextOf(key: string, { type, isSecret, find }: Context): Context {
  if (find !== undefined) return { type: undefined, isSecret, find };
  const field = type === undefined ? undefined : fieldMeant(type, key);
  const isWhole =
    field?.name === 'passwordHash' ||
    (type?.name === 'HTTPHeader' && field?.name === 'value' && isSecret) ||
    (field === undefined && isSecretName(key));
  if (isWhole) return { type: undefined, isSecret, find: everything };
  const isSource = field?.name === 'source' || (type?.name === 'Resource' && contentKeys.has(key));
  if (isSource && isSecret) return { type: undefined, isSecret, find: findSecretSource };
  return { type: structOf(field), isSecret: isSecret || field?.name === 'keyFile' };
}

/** Where Butane has the contents themselves. */
const contentKeys: ReadonlySet<string> = new Set(['inline', 'local']);

function structOf(field: Field | undefined): StructType | undefined {
  if (field?.kind === 'struct') return field.struct;
  return field?.kind === 'list' && typeof field.element === 'object' ? field.element : undefined;
}

/** The field that a key is, or that it was likely meant to be. */
function fieldMeant(type: StructType, key: string): Field | undefined {
  const fields = fieldsByFoldedName(type);
  const name = foldName(key.slice(0, longestKey));
  const exact = fields.get(name) ?? fields.get(name.replaceAll(/[_-]/g, ''));
  return exact ?? fields.get(nearestName(name, fields.keys()) ?? '');
}

const longestKey = 60;

type ObjectNode = Extract<TextNode, { kind: 'object' }>;

/** A file that only its owner can read, or that is known to hold secrets; a header that is not known to hold none. */
function isSecretObject({ isSecretFile }: Search, node: ObjectNode, type: StructType | undefined): boolean {
  if (type?.name === 'HTTPHeader')
    return !textsOf(node, type, 'name').some((name) => plainHeaders.test(name));
  if (type?.name !== 'File') return false;
  const mode = textsOf(node, type, 'mode').at(-1);
  const isPrivate = mode !== undefined && mode !== 'null' && (Number(mode) & 0o077) === 0;
  const paths = textsOf(node, type, 'path');
  return isPrivate || isSecretFile(paths.at(-1) ?? '');
}

/** Names of headers whose values are no credentials. */
const plainHeaders =
  /^(?:accept(?:-.*)?|cache-control|connection|content-.*|date|host|if-.*|metadata(?:-flavor)?|range|user-agent)$/i;

function textsOf(node: ObjectNode, type: StructType, name: string): string[] {
  return [...node.entries()].flatMap(([key, value]) =>
    value.kind === 'scalar' && fieldMeant(type, key)?.name === name ? [value.text] : [],
  );
}
