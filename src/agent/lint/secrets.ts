/**
 * Masks secrets in code frames: copies a document and replaces secret values with stars, without moving other bytes.
 * Everything else stays readable, because an error may be next to a secret. A scalar that is written with escapes is masked as
 * a whole.
 */

import { ifWellFormed } from '../../core/errors.ts';
import { append } from '../../core/lists.ts';
import { nearestName } from '../../core/nearestNames.ts';
import type { DocumentNode, MappingNode, ScalarNode, ScalarText } from '../../formats/documentTree.ts';
import { joinSpans, overwrite, type Span, spansOf } from '../../core/spans.ts';
import { readJsonTree } from '../../formats/json/tree.ts';
import { jsonScalarText } from '../../formats/json/strings.ts';
import type { Config } from '../../ignition/config.ts';
import { findAssignments, findSecretParts, isSecretName, maskSetting } from '../../core/masking.ts';
import { ipaKnowledge } from '../../ipa/ipaOptions.ts';
import { listPullSecrets, sensitiveOptionsOf } from './pullSecret.ts';
import { readSubject } from './subject.ts';
import {
  configType,
  type Field,
  foldedField,
  nearestField,
  structOf,
  type StructType,
} from '../../ignition/schema.ts';
import { newestVersion } from '../../ignition/versions.ts';
import { checkDataUrl } from '../../formats/dataUrl.ts';

const STAR = 0x2a;

/**
 * A copy of an Ignition config with masked secrets, or the document itself if it contains none.
 * @param config the decoded config; if absent, every file may be a secret
 */
export function maskSecrets(document: Uint8Array, config?: Config): Uint8Array {
  const bytes = Buffer.from(document.buffer, document.byteOffset, document.byteLength);
  const json = ifWellFormed(() => readJsonTree(bytes));
  const spans =
    json === undefined
      ? findSecretsInBroken(bytes)
      : findSecretNodes(json.root, jsonScalarText, secretFilesOf(config));
  if (spans.length === 0) return document;
  const masked = Buffer.from(bytes);
  for (const { start, end } of spans) masked.fill(STAR, start, end);
  return masked;
}

/**
 * Masks the secrets of a document in texts about it: Ignition quotes some values that it cannot parse.
 * @param masked the same document with masked secrets
 */
export function createRedaction(document: Uint8Array, masked: Uint8Array): Redaction {
  const words = new Set<string>();
  for (let at = 0; at < document.length; at += 1) {
    if (document[at] === masked[at]) continue;
    const start = at;
    while (at < document.length && masked[at] === STAR) at += 1;
    const text = Buffer.from(document.subarray(start, at)).toString();
    for (const [word] of text.matchAll(WORD_PATTERN)) if (!plainWords.has(word)) words.add(word);
  }
  if (words.size === 0) return (text) => text;
  return (text) =>
    text.replaceAll(WORD_PATTERN, (word) => (words.has(word) ? '*'.repeat(word.length) : word));
}

export type Redaction = (text: string) => string;

/** Shorter values disclose little and may occur anywhere by chance. */
const WORD_PATTERN = /[^\s,;:="'()\\]{4,}/g;

/** Words of a data URL that describe the encoding. */
const plainWords: ReadonlySet<string> = new Set(['base64', 'charset', 'data', 'utf-8', 'text/plain']);

/** Files of a config that contain credentials, regardless of their mode. */
export function secretFilesOf(config: Config | undefined): IsSecretFile {
  if (config === undefined) return () => true;
  const subject = readSubject(config);
  const confs = subject.confs.filter((conf) => sensitiveOptionsOf(conf).length > 0);
  const secret = [...listPullSecrets(subject), ...confs];
  const names = new Set(secret.map(({ name }) => name));
  return (path) => names.has(path);
}

/** Without valid JSON, the end of a value is unknown, so more is masked. */
function findSecretsInBroken(bytes: Buffer): Span[] {
  const text = bytes.toString('latin1'); // one character for each byte
  return joinSpans([...spansOf(text, BROKEN_SECRET), ...findSecretParts(text)]);
}

/** Password hashes, values of HTTP headers, and the data of data URLs. */
const BROKEN_SECRET =
  /(?<=(?:pass\w{0,6}_?hash|"value)["':=\s]{1,20})[^"':=\s][^"\n]*|(?<=data:[^,"\s]{0,200},)[^"\s]+/gi;

/**
 * Masks secrets in a conf file, which may be damaged: values of options that are secret or have a name like a secret,
 * and credentials in URLs. Every byte except blanks and line breaks becomes a star.
 */
export function maskConfSecrets(bytes: Uint8Array): Uint8Array {
  let isSecret = false;
  const lines = Buffer.from(bytes)
    .toString('latin1')
    .split(/(?<=\n|\r(?!\n))/);
  const masked = lines.map((line) => {
    const isContinued = line.startsWith(' ') || line.startsWith('\t');
    const separator = isContinued ? -1 : line.search(/[:=]/);
    if (!isContinued) isSecret = separator >= 0 && isSecretOption(line.slice(0, separator).trim());
    const value = line.slice(separator + 1);
    return (
      line.slice(0, separator + 1) +
      (isSecret ? stars(value) : overwrite(value, findSecretParts(value), stars))
    );
  });
  return Buffer.from(masked.join(''), 'latin1');
}

/** Options of the agent are either secret or not; the name of any other option may be a misspelled one. */
export function isSecretOption(name: string): boolean {
  const known = ipaKnowledge().options.filter((option) => option.name === name);
  if (known.length > 0) return known.some(({ sensitive }) => sensitive === true);
  const secret = ipaKnowledge().options.filter(({ sensitive }) => sensitive === true);
  const isMisspelt =
    nearestName(
      name.replaceAll('-', '_'),
      secret.map((option) => option.name),
    ) !== undefined;
  return isMisspelt || isSecretName(name);
}

function stars(text: string): string {
  return text.replaceAll(/\S/g, '*');
}

/** Whether the file at a path of the host is a secret, regardless of its mode. */
type IsSecretFile = (path: string) => boolean;

/** Positions of secrets in a config, in order. */
export function findSecretNodes(
  root: DocumentNode,
  textOf: (node: ScalarNode) => ScalarText,
  isSecretFile: IsSecretFile,
): Span[] {
  const search: Search = { textOf, isSecretFile, spans: [], aliased: new Map() };
  searchNode(search, root, { type: configType(newestVersion), isSecret: false });
  return joinSpans(search.spans);
}

interface Search {
  readonly textOf: (node: ScalarNode) => ScalarText;
  readonly isSecretFile: IsSecretFile;
  readonly spans: Span[];
  /** Where aliases refer to, with what is known of their context: what they expand to may be long. */
  readonly aliased: Map<DocumentNode, Set<string>>;
}

/** What the context of a value reveals about it. */
interface Context {
  /** Undefined if Ignition has no such field. */
  readonly type: StructType | undefined;
  /** The contents of a file, or other fetched contents, are secret. */
  readonly isSecret: boolean;
  /** The search for secrets in the text; default: the search that applies to any text. */
  readonly find?: (text: string) => readonly Span[];
}

/** Recursion is limited by the depth of the type, and by `MAX_UNKNOWN` for lists in lists and below unknown fields. */
function searchNode(search: Search, node: DocumentNode, context: Context, unknown = 0): void {
  if (node.kind === 'scalar') {
    const { isVerbatim, span, text } = search.textOf(node);
    const parts = (context.find ?? findSecretParts)(text);
    const shifted = parts.map((part) => ({ start: span.start + part.start, end: span.start + part.end }));
    append(search.spans, isVerbatim || parts.length === 0 ? shifted : [span]);
    return;
  }
  if (unknown > MAX_UNKNOWN) return;
  if (node.kind === 'alias') {
    const known = search.aliased.get(node.target) ?? new Set();
    search.aliased.set(node.target, known);
    const id = [context.type?.name, context.isSecret, context.find?.name].join(' ');
    if (known.has(id)) return;
    known.add(id);
    searchNode(search, node.target, context, unknown);
    return;
  }
  if (node.kind === 'sequence') {
    for (const item of node.items) searchNode(search, item, context, unknown + 1);
    return;
  }
  const below = context.type === undefined ? unknown + 1 : 0;
  const inner = { ...context, isSecret: context.isSecret || isSecretObject(search, node, context.type) };
  for (const { key, value } of node.entries) searchNode(search, value, contextOf(key.text, inner), below);
}

/** No config has more levels than this. */
const MAX_UNKNOWN = 64;

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
  if (type?.name === 'KernelArguments' && field !== undefined)
    return { type: undefined, isSecret, find: findKernelSecrets };
  const isSource = field?.name === 'source' || (type?.name === 'Resource' && key === 'inline');
  if (isSource && isSecret) return { type: undefined, isSecret, find: findSecretSource };
  return { type: structOf(field), isSecret: isSecret || field?.name === 'keyFile' };
}

/** An argument with blanks contains others, or a secret that somebody forgot to quote. */
function findKernelSecrets(text: string): readonly Span[] {
  const [first] = findAssignments(text);
  const parts = findSecretParts(text);
  return first === undefined ? parts : joinSpans([...parts, { start: first.start, end: text.length }]);
}

/** The field with the name of a key, or the most similar one. */
function fieldMeant(type: StructType, key: string): Field | undefined {
  const name = key.slice(0, LONGEST_KEY);
  const exact = foldedField(type, name) ?? foldedField(type, name.replaceAll(/[_-]/g, ''));
  return exact ?? nearestField(type, name);
}

const LONGEST_KEY = 60;

/** A file that only its owner can read or that contains secrets by its path; a header that is not on the list of harmless ones. */
function isSecretObject({ isSecretFile }: Search, node: MappingNode, type: StructType | undefined): boolean {
  if (type?.name === 'HTTPHeader')
    return !textsOf(node, type, 'name').some((name) => PLAIN_HEADERS.test(name));
  if (type?.name !== 'File') return false;
  const mode = textsOf(node, type, 'mode').at(-1);
  const isPrivate = mode !== undefined && mode !== 'null' && (Number(mode) & 0o077) === 0;
  const paths = textsOf(node, type, 'path');
  return isPrivate || isSecretFile(paths.at(-1) ?? '');
}

/** Names of headers that never contain credentials. */
const PLAIN_HEADERS =
  /^(?:accept(?:-.*)?|cache-control|connection|content-.*|date|host|if-.*|metadata(?:-flavor)?|range|user-agent)$/i;

function textsOf(node: MappingNode, type: StructType, name: string): string[] {
  return node.entries.flatMap(({ key, value }) =>
    value.kind === 'scalar' && fieldMeant(type, key.text)?.name === name ? [value.text] : [],
  );
}

/** Whether a secret, or text that could be one, is somewhere in a text: what is encoded cannot be masked in parts. */
export function mayContainSecret(text: string): boolean {
  return text.split('\n').some((line) => ENCODED_SECRET.test(line) || maskSetting(line) !== line);
}

const ENCODED_SECRET = /^\s*[\w+/=]{60,}\s*$|"auths?"|authorization|bearer|\$[a-z0-9]{1,10}\$/i;

/**
 * Secrets of a source: the whole data URL, the data of a damaged data URL, or the credentials of any other URL.
 */
function findSecretSource(source: string): Span[] {
  if (checkDataUrl(source) === undefined) return [{ start: 0, end: source.length }];
  if (/^[a-z][a-z0-9+.-]{0,20}:\/\//i.test(source) || /^(?:https?|tftp|s3|gs|arn):/i.test(source)) {
    return findSecretParts(source);
  }
  const { length } = /^data[^,]*,/i.exec(source)?.[0] ?? '';
  return length === source.length ? [] : [{ start: length, end: source.length }];
}
