/**
 * Keys and sections that systemd ignores in units and drop-ins, whether listed as units or written as files. Quadlets,
 * which podman reads, and values are not checked.
 */

import { type Issue, lintNote, lintWarning, type Rule } from '../../core/rule.ts';
import {
  broken,
  type FileSubject,
  type LintedUnit,
  readInlineText,
  readUnitText,
  type UnitText,
} from './subject.ts';
import { readAsset } from '../../core/assets.ts';
import type { Problem } from '../../core/finding.ts';
import { once } from '../../core/once.ts';
import { nearestName } from '../../core/nearestNames.ts';

export const unitKeyRules = {
  key: lintWarning(
    'agent-unit-key',
    'systemd ignores the key: unknown key in this section',
    'use a key and its section as systemd.directives(7) lists them',
  ),
  section: lintWarning(
    'agent-unit-section',
    'systemd ignores the section: unknown section for this type of unit',
    'fix the name of the section, or start it with X- if another program reads it',
  ),
  startLimit: lintNote(
    'agent-unit-start-limit',
    'systemd reads the limit of starts only in the section [Unit], so its default applies',
    'move the key to the section [Unit]',
  ),
  keySince: lintNote(
    'agent-unit-key-since',
    'older releases of systemd ignore the key',
    'check the release of systemd in the image with "systemctl --version"',
  ),
};

/** The release in RHEL CoreOS 9; keys of later releases are reported as notes. */
const WIDESPREAD_VERSION = 252;

export function checkUnitKeys({ name, texts }: LintedUnit): Issue[] {
  const type = name.slice(name.lastIndexOf('.') + 1);
  return texts.flatMap((text) => checkText(text, type));
}

/** The same for units and drop-ins that are written as files. */
export function checkUnitFiles({ files }: FileSubject): Issue[] {
  return files.flatMap(({ name: file, file: { contents }, path }) => {
    const [, name, type] = UNIT_FILE.exec(file) ?? [];
    if (name === undefined || type === undefined || contents === undefined) return [];
    const text = unitSections(type) === undefined ? undefined : readInlineText(contents);
    return text === undefined ? [] : checkText(readUnitText(name, text, [...path, 'contents']), type);
  });
}

/** The unit folders of systemd outside the OS image. */
const UNIT_FILE =
  /^\/(?:etc|run|usr\/local\/lib|usr\/lib)\/systemd\/(?:system|user)\/((?:[^/]+\.)?([a-z]+)(?:\.d\/[^/]+\.conf)?)$/s;

/** Limit for text that is no unit, because the search for similar names takes time. */
const MOST_ISSUES = 1000;

interface Found extends Partial<Problem> {
  readonly rule: Rule;
  readonly line?: number;
}

/**
 * Reports each key and section once, even if it occurs several times.
 * @param type of the unit: `service`
 */
function checkText({ lines, name: about, path }: UnitText, type: string): Issue[] {
  const sections = unitSections(type);
  if (sections === undefined) return [];
  const issues = new Map<string, Found>();
  let section: string | undefined;
  let isSkipped = false;
  for (const line of lines) {
    if (issues.size >= MOST_ISSUES) break;
    if (line.kind === 'section') {
      isSkipped = !sections.includes(line.name);
      section = line.name;
      const id = `[${line.name}]`;
      if (isSkipped && !isForeign(line.name) && !issues.has(id))
        issues.set(id, { ...foundSection(type, line.name), line: line.line });
    } else if (section === undefined) {
      const what = line.kind === 'assignment' && KEY_NAME.test(line.name) ? `${line.name}=` : 'a line';
      const message = `systemd ignores ${what} above the first section`;
      const hint = 'move it below the header of its section';
      issues.set('', { rule: unitKeyRules.key, message, hint, line: line.line });
    } else if (line.kind === 'assignment' && !isSkipped && !isUsual(section, line.name)) {
      const id = `[${section}]${line.name}`;
      if (!issues.has(id)) issues.set(id, { ...checkKey(type, section, line.name), line: line.line });
    }
  }
  return Array.from(issues.values(), ({ rule, ...texts }) => broken(rule, path, { about, ...texts }));
}

/** Whether all releases of systemd support the key, or another program reads it. */
function isUsual(section: string, key: string): boolean {
  const directive = findDirective(section, key);
  if (directive === undefined) return isForeign(key);
  return directive !== 'removed' && directive.since <= WIDESPREAD_VERSION;
}

/** Other programs use names with this prefix. */
function isForeign(name: string): boolean {
  return name.startsWith('X-');
}

/** Other text may be the rest of a command and contain a secret. */
const KEY_NAME = /^[\w-]{1,80}$/;

function checkKey(type: string, section: string, key: string): Found {
  const rule = unitKeyRules.key;
  const directive = findDirective(section, key);
  if (directive === 'removed') {
    const message = `systemd ${knownSystemdVersion()} ignores ${key}= in [${section}]: its support was removed`;
    return { rule, message, hint: `remove ${key}=` };
  }
  if (directive !== undefined) {
    const message = `${key}= requires systemd ${directive.since}; RHEL CoreOS 9 has ${WIDESPREAD_VERSION}, which ignores it`;
    return { rule: unitKeyRules.keySince, message };
  }
  if (key.startsWith('StartLimit') && findDirective('Unit', key) !== undefined) {
    const message = `systemd ignores ${key}= in [${section}]: by default, it starts a unit at most 5 times in 10 seconds`;
    return { rule: unitKeyRules.startLimit, message, hint: `move ${key}= to the section [Unit]` };
  }
  if (KEY_NAME.test(key)) {
    const message = `systemd ignores ${key}= in [${section}]: unknown key`;
    return { rule, message, hint: hintKey(type, section, key) };
  }
  const message = `systemd ignores a line in [${section}]: the text before its "=" is not a key`;
  const hint = 'remove the line, or end the line before it with a backslash if it continues that line';
  return { rule, message, hint };
}

function hintKey(type: string, section: string, key: string): string {
  const place = suggestDirective(type, section, key);
  if (place === undefined) return `remove ${key}=, or rename it to X-${key}= if another program reads it`;
  if (place.type !== undefined) {
    return `remove ${key}=; it is valid only in the section [${place.section}] of .${place.type} units`;
  }
  const inSection = `to the section [${place.section}]`;
  if (place.key === key) return `move ${key}= ${inSection}`;
  return place.section === section ? `use ${place.key}=` : `use ${place.key}=, and move it ${inSection}`;
}

function foundSection(type: string, header: string): Found {
  const name = header.slice(0, 80);
  const message = `systemd ignores the section [${name}]: unknown section`;
  const place = suggestSection(type, name);
  if (place === undefined) {
    const hint = `remove the section, or rename it to [X-${name}] if another program reads it`;
    return { rule: unitKeyRules.section, message, hint };
  }
  const hint =
    place.type === type
      ? `use [${place.section}]`
      : `move the section to a unit whose name ends in .${place.type}`;
  return { rule: unitKeyRules.section, message, hint };
}

interface KeyTable {
  /** By key: the release of systemd that added it; 0 if it is older than 240 or not documented. */
  readonly keys: Readonly<Record<string, number>>;
  /** Keys that systemd accepts and ignores. */
  readonly removed: readonly string[];
}

/** From `systemd-directives.json`, which `scripts/systemdDirectives.js` generates from the sources of systemd. */
interface SystemdKnowledge {
  /** The release from which the tables are generated, such as `262`. */
  readonly systemdVersion: string;
  /** Sections by type of unit (its suffix), as in systemd.unit(5). */
  readonly types: Readonly<Record<string, readonly string[]>>;
  /** Keys that several sections share: `exec`, `kill`, `cgroup`. */
  readonly groups: Readonly<Record<string, KeyTable>>;
  readonly sections: Readonly<Record<string, KeyTable & { readonly groups: readonly string[] }>>;
}

/** How systemd treats a key in a section. */
type Directive = 'removed' | { readonly since: number };

const readKnowledge = once(() => {
  const { groups, sections, systemdVersion, types }: SystemdKnowledge = JSON.parse(
    readAsset('src/agent/lint/systemd-directives.json'),
  );
  const sectionsByName = new Map(Object.entries(sections));
  return { groups, sections: sectionsByName, systemdVersion, types: new Map(Object.entries(types)) };
});

const directivesBySection = new Map<string, ReadonlyMap<string, Directive>>();

/** Most units have three of the thirty sections. */
function readDirectives(section: string): ReadonlyMap<string, Directive> {
  const read = directivesBySection.get(section);
  if (read !== undefined) return read;
  const { groups, sections } = readKnowledge();
  const own = sections.get(section);
  const tables = own === undefined ? [] : [...own.groups.flatMap((group) => groups[group] ?? []), own];
  const directives = new Map<string, Directive>();
  for (const { keys, removed } of tables) {
    for (const [key, since] of Object.entries(keys)) directives.set(key, { since });
    for (const key of removed) directives.set(key, 'removed');
  }
  directivesBySection.set(section, directives);
  return directives;
}

/** The release of systemd whose sections and keys are known, such as `262`. */
export function knownSystemdVersion(): string {
  return readKnowledge().systemdVersion;
}

/** The sections that units of the type may have; undefined for unknown types. */
export function unitSections(type: string): readonly string[] | undefined {
  return readKnowledge().types.get(type);
}

/** How systemd treats the key; undefined if the key is unknown in this section. */
export function findDirective(section: string, key: string): Directive | undefined {
  return readDirectives(section).get(key);
}

/** All keys that have an effect in a section. */
export function directiveNames(section: string): string[] {
  return [...readDirectives(section)].flatMap(([key, directive]) => (directive === 'removed' ? [] : [key]));
}

/** A place where a key has an effect. */
interface DirectivePlace {
  readonly section: string;
  readonly key: string;
  /** The type of unit that has the section, if it is another type. */
  readonly type?: string;
}

/**
 * The most likely intention of an unknown key: the same key in another section, preferably of this type of unit, or the
 * most similar name.
 */
export function suggestDirective(type: string, section: string, key: string): DirectivePlace | undefined {
  const sections = unitSections(type) ?? [];
  const own = nearestKey(section, key);
  if (own?.toLowerCase() === key.toLowerCase()) return { section, key: own };
  const elsewhere = sections.find((name) => hasEffect(name, key));
  if (elsewhere !== undefined) return { section: elsewhere, key };
  if (own !== undefined) return { section, key: own };
  for (const [otherType, names] of readKnowledge().types) {
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

/** Keys are case-sensitive in systemd; a key that differs only in case is the most likely one. */
function nearestKey(section: string, key: string): string | undefined {
  const names = directiveNames(section);
  return names.find((name) => name.toLowerCase() === key.toLowerCase()) ?? nearestName(key, names);
}

/** The most likely intention of an unknown section: another one of this type, or the same one of another type. */
export function suggestSection(
  type: string,
  section: string,
): { readonly section: string; readonly type: string } | undefined {
  const { types } = readKnowledge();
  const other = [...types].find(([, names]) => names.includes(section));
  if (other !== undefined) return { section, type: other[0] };
  const names = types.get(type) ?? [];
  const wanted = section.trim().toLowerCase();
  const nearest = names.find((name) => name.toLowerCase() === wanted) ?? nearestName(section.trim(), names);
  return nearest === undefined ? undefined : { section: nearest, type };
}
