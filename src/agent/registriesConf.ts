/**
 * A registries.conf as podman parses it (containers-registries.conf(5), version 2): registries and mirrors, and aliases of
 * short names. For each issue, podman refuses the whole file and pulls no image. Compared with podman 4.3; the messages follow those
 * of podman.
 */

import type { Position } from '../core/errors.ts';
import { quoteText } from '../core/foreignText.ts';
import { HIDDEN } from '../core/masking.ts';
import { trimEndOf } from '../core/trimming.ts';
import { isRegistryHost, parseImageReference } from '../formats/imageReference.ts';
import { isMapping } from '../formats/mapping.ts';
import { type ParsedToml, parseToml, TomlError } from '../formats/toml.ts';
import type { Path, Problem } from '../core/finding.ts';

interface RegistriesIssue extends Problem {
  /** In the file; columns count bytes. */
  readonly position: Position;
}

interface RegistriesConf {
  /** Ordered by line. */
  readonly issues: readonly RegistriesIssue[];
  /** Undefined if podman refuses the file, or if it uses version 1 of the format. */
  readonly registries?: Registries;
}

/** The contents of a file without errors. */
export interface Registries {
  /** The registries that podman searches for a short name, in order; undefined if the file does not set them. */
  readonly search?: readonly string[];
  readonly shortNameMode?: string;
  /** Full names by short name. */
  readonly aliases: ReadonlyMap<string, string>;
  readonly entries: readonly RegistryEntry[];
}

export interface RegistryEntry {
  /** Prefix of image names: `registry.example.com/team`, or `*.example.com`. */
  readonly prefix: string;
  /** Replaces the prefix; empty for a wildcard prefix that is not replaced. */
  readonly location: string;
  readonly insecure: boolean;
  readonly blocked: boolean;
  /** podman tries them first. */
  readonly mirrors: readonly Mirror[];
}

/** Where podman pulls images from. */
interface Endpoint {
  readonly location: string;
  readonly insecure: boolean;
}

interface Mirror extends Endpoint {
  /** The images for which podman uses the mirror: all, those with a digest, or those without. */
  readonly pulls: 'all' | 'digest-only' | 'tag-only';
}

type Fields = Readonly<Record<string, Field>>;

type Field =
  | { readonly kind: 'value'; readonly accepts: (value: unknown) => boolean; readonly hint: string }
  | { readonly kind: 'tables'; readonly fields: Fields };

const isText = (value: unknown): value is string => typeof value === 'string';

function oneOf(...choices: readonly string[]): Field {
  const accepts = (value: unknown): boolean => isText(value) && ['', ...choices].includes(value);
  return { kind: 'value', accepts, hint: `use one of "${choices.join('", "')}"` };
}

const text: Field = { kind: 'value', accepts: isText, hint: 'write a string in double quotes' };
const isOn: Field = {
  kind: 'value',
  accepts: (value) => typeof value === 'boolean',
  hint: 'write true or false, without quotes',
};
const texts: Field = {
  kind: 'value',
  accepts: (value) => Array.isArray(value) && value.every(isText),
  hint: 'write a list of strings: ["registry.example.com"]',
};
const names: Field = {
  kind: 'value',
  accepts: (value) => isTable(value) && Object.values(value).every(isText),
  hint: 'write a table of strings: "name" = "registry.example.com/name"',
};

const mirrorFields: Fields = {
  location: text,
  insecure: isOn,
  'pull-from-mirror': oneOf('all', 'digest-only', 'tag-only'),
};

const registryFields: Fields = {
  prefix: text,
  location: text,
  insecure: isOn,
  blocked: isOn,
  'mirror-by-digest-only': isOn,
  'pull-from-mirror': text,
  mirror: { kind: 'tables', fields: mirrorFields },
};

const rootFields: Fields = {
  'unqualified-search-registries': texts,
  'short-name-mode': oneOf('enforcing', 'permissive', 'disabled'),
  'credential-helpers': texts,
  'additional-layer-store-auth-helper': text,
  registry: { kind: 'tables', fields: registryFields },
  aliases: names,
};

/** Parses the file like podman. Never throws. */
export function readRegistriesConf(content: string): RegistriesConf {
  try {
    return checkDocument(parseToml(content));
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    const { hint = '', message, position } = error;
    return { issues: [{ position, message: `the file ${message}`, hint }] };
  }
}

type Report = (path: Path, message: string, hint: string) => void;

function checkDocument({ value, locate }: ParsedToml): RegistriesConf {
  const found: RegistriesIssue[] = [];
  const report: Report = (path, message, hint) =>
    found.push({ position: locate(path) ?? { line: 1, column: 1 }, message, hint });
  // Without issues, all values have valid types.
  const isAccepted = (_table: Table): _table is FileTable => found.length === 0;
  // Version 1 of the format.
  if (Object.keys(value).some((key) => key.toLowerCase() === 'registries')) return { issues: [] };
  const table = readTable(value, rootFields, [], report);
  if (isAccepted(table)) checkMeaning(table, report);
  const issues = found.toSorted(({ position: a }, { position: b }) => a.line - b.line || a.column - b.column);
  return isAccepted(table) ? { issues, registries: toRegistries(table) } : { issues };
}

type Table = Readonly<Record<string, unknown>>;

/** The fields by their declared names: podman ignores the case and unknown keys. Values have valid types. */
function readTable(value: unknown, fields: Fields, path: Path, report: Report): Table {
  const table: Record<string, unknown> = {};
  for (const [key, member] of Object.entries(isTable(value) ? value : {})) {
    const name = key.toLowerCase();
    const field = Object.hasOwn(fields, name) ? fields[name] : undefined;
    if (field !== undefined) table[name] = readField(member, field, [...path, key], report);
  }
  return table;
}

/** The value if its type is valid; otherwise undefined, after an error. */
function readField(value: unknown, field: Field, path: Path, report: Report): unknown {
  if (field.kind === 'value' && field.accepts(value)) return value;
  if (field.kind === 'tables' && Array.isArray(value) && value.every(isTable)) {
    return value.map((item, index) => readTable(item, field.fields, [...path, index], report));
  }
  const keys = path.filter(isText);
  const name = keys.join('.');
  const hint = field.kind === 'value' ? field.hint : `write each entry with double brackets: [[${name}]]`;
  report(path, `invalid value of ${quoteText(keys.at(-1) ?? '')}`, hint);
  return undefined;
}

function isTable(value: unknown): value is Table {
  return isMapping(value) && !(value instanceof Date);
}

/** The table of a file in which all values have valid types. */
interface FileTable extends Table {
  readonly 'unqualified-search-registries'?: readonly string[];
  readonly 'short-name-mode'?: string;
  readonly aliases?: Readonly<Record<string, string>>;
  readonly registry?: readonly RegistryTable[];
}

interface RegistryTable {
  readonly prefix?: string;
  readonly location?: string;
  readonly insecure?: boolean;
  readonly blocked?: boolean;
  readonly 'mirror-by-digest-only'?: boolean;
  readonly 'pull-from-mirror'?: string;
  readonly mirror?: readonly MirrorTable[];
}

interface MirrorTable {
  readonly location?: string;
  readonly insecure?: boolean;
  readonly 'pull-from-mirror'?: 'all' | 'digest-only' | 'tag-only' | '';
}

function toRegistries({ aliases = {}, registry = [], ...table }: FileTable): Registries {
  const search = table['unqualified-search-registries'];
  const shortNameMode = table['short-name-mode'] ?? '';
  return {
    ...(search !== undefined && { search: search.map(withoutSlashes) }),
    ...(shortNameMode !== '' && { shortNameMode }),
    aliases: new Map(Object.entries(aliases)),
    entries: registry.map(toEntry),
  };
}

function toEntry({ blocked = false, insecure = false, mirror = [], ...entry }: RegistryTable): RegistryEntry {
  const { location = '', prefix = '' } = entry;
  const digestOnly = entry['mirror-by-digest-only'] === true ? 'digest-only' : undefined;
  return {
    prefix: withoutSlashes(prefix === '' ? location : prefix),
    location: withoutSlashes(location),
    insecure,
    blocked,
    mirrors: mirror.map((one) => ({
      location: withoutSlashes(one.location ?? ''),
      insecure: one.insecure ?? false,
      pulls: digestOnly ?? (one['pull-from-mirror'] || 'all'),
    })),
  };
}

function withoutSlashes(location: string): string {
  return trimEndOf(location, '/');
}

function checkMeaning({ aliases = {}, registry: entries = [], ...table }: FileTable, report: Report): void {
  for (const [index, registry] of (table['unqualified-search-registries'] ?? []).entries()) {
    const path = ['unqualified-search-registries', index];
    if (!checkLocation(registry, path, report) || isRegistryHost(withoutSlashes(registry))) continue;
    const message = `${shown(registry)} is not a registry host`;
    report(path, message, 'use a host, such as "quay.io"');
  }
  for (const [name, full] of Object.entries(aliases)) checkAlias(name, full, report);
  for (const [index, entry] of entries.entries()) checkEntry(entry, ['registry', index], report);
  checkTwins(entries, report);
}

/** What is before an `@`, except the name before a digest. */
const CREDENTIALS = /^[^]*@(?!sha\d+:)/;

/** The quoted text without credentials, with which registries are sometimes written as URLs are. */
function shown(name: string): string {
  return quoteText(name.replace(CREDENTIALS, `${HIDDEN}@`));
}

/** Whether a location is valid; reports an error if not. */
function checkLocation(location: string, path: Path, report: Report): boolean {
  const [, scheme, rest = ''] = /^(https?:\/\/)?(.*)$/s.exec(withoutSlashes(location)) ?? [];
  if (scheme !== undefined) {
    const hint = `use ${shown(rest.replace(CREDENTIALS, ''))}; for plain HTTP add insecure = true`;
    report(path, `${shown(location)} is a URL`, hint);
  } else if (rest === '') {
    report(path, 'the location is empty', 'use the host of a registry, such as "quay.io"');
  }
  return scheme === undefined && rest !== '';
}

function checkAlias(name: string, full: string, report: Report): void {
  const path = ['aliases', name];
  const short = parseImageReference(name);
  if (!short.ok || short.reference.registry !== undefined || hasTag(short.reference)) {
    const hint = 'use a name without registry, tag and digest: "ironic-agent"';
    report(path, `${shown(name)} is not a short name`, hint);
  }
  if (full === '') return; // removes an alias of another file
  const target = parseImageReference(full);
  if (target.ok && target.reference.registry !== undefined && !hasTag(target.reference)) return;
  const hint = 'use registry and repository without tag and digest: "registry.example.com/ironic-agent"';
  report(path, `${shown(full)} is not a full image name`, hint);
}

function hasTag({ digest, tag }: { readonly digest?: string; readonly tag?: string }): boolean {
  return tag !== undefined || digest !== undefined;
}

function checkEntry(entry: RegistryTable, path: Path, report: Report): void {
  const { location = '', mirror: mirrors = [], prefix = '' } = entry;
  const isWildcard = prefix.startsWith('*.');
  if ((entry['pull-from-mirror'] ?? '') !== '') {
    const hint = 'move it to the [[registry.mirror]] that it is for';
    report([...path, 'pull-from-mirror'], 'pull-from-mirror belongs to a mirror', hint);
  }
  if (prefix !== '') checkLocation(prefix, [...path, 'prefix'], report);
  if (location !== '') checkLocation(location, [...path, 'location'], report);
  else if (!isWildcard) {
    const hint = 'add location = "HOST", for example location = "registry.example.com"';
    report(path, 'the registry has no location', hint);
  }
  if (isWildcard && /[/@:]/.test(prefix)) {
    const message = `${shown(prefix)} is not "*." followed by a domain`;
    report([...path, 'prefix'], message, 'use a prefix such as "*.example.com"');
  }
  for (const [index, mirror] of mirrors.entries()) {
    const at = [...path, 'mirror', index];
    checkLocation(mirror.location ?? '', [...at, 'location'], report);
    if ((mirror['pull-from-mirror'] ?? '') === '' || entry['mirror-by-digest-only'] !== true) continue;
    const message =
      'mirror-by-digest-only of the registry and pull-from-mirror of its mirror exclude each other';
    report([...at, 'pull-from-mirror'], message, 'remove mirror-by-digest-only or pull-from-mirror');
  }
}

/** Entries of the same location must agree. */
function checkTwins(entries: readonly RegistryTable[], report: Report): void {
  const seen = new Map<string, RegistryTable>();
  for (const [index, entry] of entries.entries()) {
    // A wildcard may have no location.
    const location = withoutSlashes(entry.location ?? '') || withoutSlashes(entry.prefix ?? '');
    const first = seen.get(location);
    seen.set(location, first ?? entry);
    if (first === undefined) continue;
    for (const name of ['insecure', 'blocked'] as const) {
      if ((first[name] ?? false) === (entry[name] ?? false)) continue;
      const message = `the registry ${shown(location)} is defined twice, with different "${name}"`;
      report(['registry', index], message, `set ${name} to the same value in both entries`);
    }
  }
}
