/**
 * The sections and keys of systemd's units, as a release of systemd knows them. The knowledge is data:
 * `schemas/systemd-directives.json`, which `.ci/systemdDirectives.js` writes from systemd's sources.
 */

import { readAsset } from '../assets.ts';
import { nearestName } from '../formats/editDistance.ts';

interface KeyTable {
  /** By key: the release of systemd that brought it, 0 where that is older than 240 or not documented. */
  readonly keys: Readonly<Record<string, number>>;
  /** Keys whose names systemd accepts, and whose values it ignores. */
  readonly removed: readonly string[];
}

interface SystemdKnowledge {
  /** The release that the tables are taken from, such as `262`. */
  readonly systemdVersion: string;
  /** By type of unit, the ending of its name: its sections, as in systemd.unit(5). */
  readonly types: Readonly<Record<string, readonly string[]>>;
  /** What several sections share: `exec`, `kill`, `cgroup`. */
  readonly groups: Readonly<Record<string, KeyTable>>;
  readonly sections: Readonly<Record<string, KeyTable & { readonly groups: readonly string[] }>>;
}

/** What systemd makes of a key in a section. */
export type Directive = 'removed' | { readonly since: number };

interface Index {
  readonly version: string;
  readonly types: ReadonlyMap<string, readonly string[]>;
  readonly sections: ReadonlyMap<string, ReadonlyMap<string, Directive>>;
}

let index: Index | undefined;

function readIndex(): Index {
  index ??= buildIndex(JSON.parse(readAsset('schemas/systemd-directives.json')));
  return index;
}

function buildIndex({ systemdVersion, types, groups, sections }: SystemdKnowledge): Index {
  const entries = Object.entries(sections).map(([name, section]) => {
    const shared = section.groups.flatMap((group) => groups[group] ?? []);
    return [name, new Map([...shared, section].flatMap(directivesOf))] as const;
  });
  return { version: systemdVersion, types: new Map(Object.entries(types)), sections: new Map(entries) };
}

function directivesOf({ keys, removed }: KeyTable): (readonly [string, Directive])[] {
  return [
    ...Object.entries(keys).map(([key, since]) => [key, { since }] as const),
    ...removed.map((key) => [key, 'removed'] as const),
  ];
}

/** The release of systemd that is known, such as `262`. */
export function knownSystemdVersion(): string {
  return readIndex().version;
}

/** The sections that units of the type may have; undefined for what is no type of unit. */
export function unitSections(type: string): readonly string[] | undefined {
  return readIndex().types.get(type);
}

/** What systemd makes of the key; undefined where it does not know it in this section. */
export function findDirective(section: string, key: string): Directive | undefined {
  return readIndex().sections.get(section)?.get(key);
}

/** All keys that have an effect in a section. */
export function directiveNames(section: string): string[] {
  const directives = readIndex().sections.get(section) ?? new Map<string, Directive>();
  return [...directives].flatMap(([key, directive]) => (directive === 'removed' ? [] : [key]));
}

/** Where a key would have an effect. */
export interface DirectivePlace {
  readonly section: string;
  readonly key: string;
  /** The type of unit that has the section, where it is another one. */
  readonly type?: string;
}

/**
 * What an unknown key of a section probably means: the same key in another section, of this type of unit first, or the
 * most similar name.
 */
export function suggestDirective(type: string, section: string, key: string): DirectivePlace | undefined {
  const sections = unitSections(type) ?? [];
  const own = nearestKey(section, key);
  if (own?.toLowerCase() === key.toLowerCase()) return { section, key: own };
  const elsewhere = sections.find((name) => hasEffect(name, key));
  if (elsewhere !== undefined) return { section: elsewhere, key };
  if (own !== undefined) return { section, key: own };
  for (const [otherType, names] of readIndex().types) {
    const other = names.find((name) => hasEffect(name, key));
    if (other !== undefined) return { section: other, key, type: otherType };
  }
  return sections
    .filter((name) => name !== section)
    .map((name) => ({ section: name, key: nearestKey(name, key) }))
    .find((place): place is DirectivePlace => place.key !== undefined);
}

function hasEffect(section: string, key: string): boolean {
  return typeof findDirective(section, key) === 'object';
}

/** systemd compares keys with their case; a key that differs in nothing else is the one that is meant. */
function nearestKey(section: string, key: string): string | undefined {
  const names = directiveNames(section);
  return names.find((name) => name.toLowerCase() === key.toLowerCase()) ?? nearestName(key, names);
}

/** What an unknown section probably means: one of this type of unit, or the same one of another type. */
export function suggestSection(
  type: string,
  section: string,
): { readonly section: string; readonly type: string } | undefined {
  const { types } = readIndex();
  const other = [...types].find(([, names]) => names.includes(section));
  if (other !== undefined) return { section, type: other[0] };
  const names = types.get(type) ?? [];
  const wanted = section.trim().toLowerCase();
  const nearest = names.find((name) => name.toLowerCase() === wanted) ?? nearestName(section.trim(), names);
  return nearest === undefined ? undefined : { section: nearest, type };
}
