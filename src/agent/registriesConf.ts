/**
 * A registries.conf as podman parses it (containers-registries.conf(5), version 2): registries and mirrors, and aliases of
 * short names. For each issue, podman refuses the whole file and pulls no image. Compared with podman 4.3; the messages follow those
 * of podman.
 */

import { comparePositions, type Position } from '../core/errors.ts';
import { quoteText } from '../core/foreignText.ts';
import { HIDDEN } from '../core/masking.ts';
import { trimEndOf } from '../core/trimming.ts';
import { isRegistryHost, parseImageReference } from '../formats/imageReference.ts';
import { isMapping, type Mapping } from '../formats/mapping.ts';
import { parseToml, TomlError } from '../formats/toml.ts';
import type { Path, Problem } from '../core/finding.ts';

interface RegistriesIssue extends Problem {
  /** In the file; columns count bytes. */
  readonly position: Position;
}

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
  /** podman tries them first. `pulls`: it uses the mirror for all images, for those with a digest, or for those without. */
  readonly mirrors: readonly {
    readonly location: string;
    readonly insecure: boolean;
    readonly pulls: 'all' | 'digest-only' | 'tag-only';
  }[];
}

/** Parses the file like podman. Without its contents if podman refuses it, or for version 1 of the format. Never throws. */
export function readRegistriesConf(content: string): {
  readonly issues: readonly RegistriesIssue[];
  readonly registries?: Registries;
} {
  const ofTypes: RegistriesIssue[] = [];
  const ofValues: RegistriesIssue[] = [];
  try {
    const { value, locate } = parseToml(content);
    // Version 1 of the format.
    if (Object.keys(value).some((key) => key.toLowerCase() === 'registries')) return { issues: [] };
    const into =
      (issues: RegistriesIssue[]): Report =>
      (path, message, hint) =>
        void issues.push({ position: locate(path) ?? { line: 1, column: 1 }, message, hint });
    const registries = readFile(new Table(value, [], into(ofTypes), into(ofValues)));
    const issues = ofTypes.length > 0 ? ofTypes : ofValues;
    if (issues.length === 0) return { issues, registries };
    return { issues: issues.toSorted(({ position: a }, { position: b }) => comparePositions(a, b)) };
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    const { hint = '', message, position } = error;
    return { issues: [{ position, message: `the file ${message}`, hint }] };
  }
}

type Report = (path: Path, message: string, hint: string) => void;

const isText = (value: unknown): value is string => typeof value === 'string';

const areTexts = (value: unknown): value is readonly string[] => Array.isArray(value) && value.every(isText);

const isSwitch = (value: unknown): value is boolean => typeof value === 'boolean';

const isTable = (value: unknown): value is Mapping => isMapping(value) && !(value instanceof Date);

const areNames = (value: unknown): value is Readonly<Record<string, string>> =>
  isTable(value) && Object.values(value).every(isText);

const areTables = (value: unknown): value is Mapping[] => Array.isArray(value) && value.every(isTable);

/** A table of the file. podman ignores the case of keys, and unknown keys. What has another type is reported, and counts as missing. */
class Table {
  readonly #table: object;
  readonly path: Path;
  readonly #refuseType: Report;
  /** Reports a value. It counts only if all values have the types of podman. */
  readonly report: Report;

  constructor(table: object, path: Path, refuseType: Report, report: Report) {
    this.#table = table;
    this.path = path;
    this.#refuseType = refuseType;
    this.report = report;
  }

  text(name: string): string {
    return this.#read(name, isText, 'write a string in double quotes') ?? '';
  }

  texts(name: string): readonly string[] | undefined {
    return this.#read(name, areTexts, 'write a list of strings: ["registry.example.com"]');
  }

  isOn(name: string): boolean {
    return this.#read(name, isSwitch, 'write true or false, without quotes') ?? false;
  }

  oneOf<W extends string>(name: string, ...words: readonly W[]): W | '' {
    const isWord = (value: unknown): value is W | '' => value === '' || words.some((word) => word === value);
    return this.#read(name, isWord, `use one of "${words.join('", "')}"`) ?? '';
  }

  names(name: string): Readonly<Record<string, string>> {
    return this.#read(name, areNames, 'write a table of strings: "name" = "registry.example.com/name"') ?? {};
  }

  tables(name: string): readonly Table[] {
    const hint = `write each entry with double brackets: [[${[...this.path, name].filter(isText).join('.')}]]`;
    const path = this.at(name);
    const items = this.#read(name, areTables, hint) ?? [];
    return items.map((item, index) => new Table(item, [...path, index], this.#refuseType, this.report));
  }

  /** The path of a key, as it is written. */
  at(name: string): Path {
    return [...this.path, Object.keys(this.#table).findLast((key) => key.toLowerCase() === name) ?? name];
  }

  #read<T>(name: string, accepts: (value: unknown) => value is T, hint: string): T | undefined {
    const values = Object.entries(this.#table).flatMap(([key, value]) => {
      if (key.toLowerCase() !== name) return [];
      if (accepts(value)) return [value];
      this.#refuseType([...this.path, key], `invalid value of ${quoteText(key)}`, hint);
      return [];
    });
    return values.at(-1);
  }
}

function readFile(file: Table): Registries {
  file.texts('credential-helpers');
  file.text('additional-layer-store-auth-helper');
  const search = file.texts('unqualified-search-registries')?.map((registry, index) => {
    const path = [...file.at('unqualified-search-registries'), index];
    const host = withoutSlashes(registry);
    if (checkLocation(registry, path, file.report) && !isRegistryHost(host))
      file.report(path, `${shown(registry)} is not a registry host`, 'use a host, such as "quay.io"');
    return host;
  });
  const shortNameMode = file.oneOf('short-name-mode', 'enforcing', 'permissive', 'disabled');
  const aliases = Object.entries(file.names('aliases'));
  for (const [name, full] of aliases) checkAlias(name, full, [...file.at('aliases'), name], file.report);
  const tables = file.tables('registry');
  const entries = tables.map(readEntry);
  // Entries of the same location must agree.
  const seen = new Map<string, RegistryEntry>();
  for (const [index, entry] of entries.entries()) {
    // A wildcard may have no location.
    const location = entry.location || entry.prefix;
    const first = seen.get(location) ?? entry;
    seen.set(location, first);
    for (const name of ['insecure', 'blocked'] as const) {
      if (first[name] === entry[name]) continue;
      const message = `the registry ${shown(location)} is defined twice, with different "${name}"`;
      file.report(tables[index]?.path ?? [], message, `set ${name} to the same value in both entries`);
    }
  }
  return {
    ...(search !== undefined && { search }),
    ...(shortNameMode !== '' && { shortNameMode }),
    aliases: new Map(aliases),
    entries,
  };
}

function readEntry(entry: Table): RegistryEntry {
  const { report } = entry;
  const prefix = entry.text('prefix');
  const location = entry.text('location');
  const byDigestOnly = entry.isOn('mirror-by-digest-only');
  const isWildcard = prefix.startsWith('*.');
  if (entry.text('pull-from-mirror') !== '') {
    const hint = 'move it to the [[registry.mirror]] that it is for';
    report(entry.at('pull-from-mirror'), 'pull-from-mirror belongs to a mirror', hint);
  }
  if (prefix !== '') checkLocation(prefix, entry.at('prefix'), report);
  if (location !== '') checkLocation(location, entry.at('location'), report);
  else if (!isWildcard) {
    const hint = 'add location = "HOST", for example location = "registry.example.com"';
    report(entry.path, 'the registry has no location', hint);
  }
  if (isWildcard && /[/@:]/.test(prefix)) {
    const message = `${shown(prefix)} is not "*." followed by a domain`;
    report(entry.at('prefix'), message, 'use a prefix such as "*.example.com"');
  }
  return {
    prefix: withoutSlashes(prefix || location),
    location: withoutSlashes(location),
    insecure: entry.isOn('insecure'),
    blocked: entry.isOn('blocked'),
    mirrors: entry.tables('mirror').map((mirror) => {
      const pulls = mirror.oneOf('pull-from-mirror', 'all', 'digest-only', 'tag-only');
      const own = mirror.text('location');
      checkLocation(own, mirror.at('location'), report);
      if (pulls !== '' && byDigestOnly) {
        const message =
          'mirror-by-digest-only of the registry and pull-from-mirror of its mirror exclude each other';
        const hint = 'remove mirror-by-digest-only or pull-from-mirror';
        report(mirror.at('pull-from-mirror'), message, hint);
      }
      return {
        location: withoutSlashes(own),
        insecure: mirror.isOn('insecure'),
        pulls: byDigestOnly ? 'digest-only' : pulls || 'all',
      };
    }),
  };
}

function withoutSlashes(location: string): string {
  return trimEndOf(location, '/');
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

function checkAlias(name: string, full: string, path: Path, report: Report): void {
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
