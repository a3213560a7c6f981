/**
 * Keys and sections that systemd ignores in units and drop-ins, be they listed as units or written as files. Left out:
 * quadlets, which are podman's, and values.
 */

import { readSystemdLines, type SystemdLine } from '../../formats/systemdFile.ts';
import type { Issue, Rule } from '../../ignition/rule.ts';
import type { Path } from '../../core/finding.ts';
import {
  findDirective,
  suggestDirective,
  suggestSection,
  knownSystemdVersion,
  unitSections,
} from '../systemdDirectives.ts';
import { broken, note, warning } from './lintRule.ts';
import { type HostFile, type HostUnit, type LintSubject, readContents } from './subject.ts';

export const unitKeyRules = {
  key: warning(
    'agent-unit-key',
    'systemd ignores a key of the unit: it has no such key in this section',
    'fix the name of the key, or move it to the section that it belongs to',
  ),
  section: warning(
    'agent-unit-section',
    'systemd ignores a section of the unit: units of this type have no such section',
    'fix the name of the section, or start it with X- if another program reads it',
  ),
  keySince: note(
    'agent-unit-key-since',
    'older releases of systemd ignore a key of the unit',
    'check the release of systemd in the image with "systemctl --version"',
  ),
};

/** What RHEL CoreOS 9 has; keys that came later are worth a note. */
const widespreadVersion = 252;

export function checkUnitKeys({ units, files }: LintSubject): Issue[] {
  return [...units.flatMap(unitTexts), ...files.flatMap(fileTexts)].flatMap(checkText);
}

interface UnitText {
  /** As the host's file is called below the folder of units: `a.service`, `a.service.d/b.conf`. */
  readonly name: string;
  /** The type of unit: `service`. */
  readonly type: string;
  readonly text: string;
  /** In the config. */
  readonly path: Path;
}

function unitTexts({ name, unit, path }: HostUnit): UnitText[] {
  if (unit.mask === true) return [];
  const { contents, dropins = [] } = unit;
  const all = [
    { name, text: contents, path: [...path, 'contents'] },
    ...dropins.map((dropin, index) => ({
      name: `${name}.d/${dropin.name ?? ''}`,
      text: dropin.contents,
      path: [...path, 'dropins', index, 'contents'],
    })),
  ];
  return all.flatMap(({ text, ...rest }) => (text ? [{ ...rest, type: typeOf(name), text }] : []));
}

function typeOf(name: string): string {
  return name.slice(name.lastIndexOf('.') + 1);
}

/** Where systemd looks for units that are no part of the OS. */
const unitFile =
  /^\/(?:etc|run|usr\/local\/lib|usr\/lib)\/systemd\/(?:system|user)\/((?:[^/]+\.)?([a-z]+)(?:\.d\/[^/]+\.conf)?)$/s;

function fileTexts({ name: file, file: { contents }, path }: HostFile): UnitText[] {
  const [, name, type] = unitFile.exec(file) ?? [];
  if (name === undefined || type === undefined || contents === undefined) return [];
  const bytes = unitSections(type) === undefined ? undefined : readContents(contents);
  if (bytes === undefined) return [];
  const text = Buffer.from(bytes).toString();
  return [{ name, type, text, path: [...path, 'contents'] }];
}

/** Of a text with more mistakes, which is no unit, so many are enough: looking for similar names takes time. */
const mostIssues = 1000;

/** Each key and section once, however often the text has it. */
function checkText(unit: UnitText): Issue[] {
  const sections = unitSections(unit.type);
  if (sections === undefined) return [];
  const issues = new Map<string, Issue>();
  let section: string | undefined;
  let isSkipped = false;
  for (const line of readSystemdLines(unit.text)) {
    if (issues.size >= mostIssues) break;
    if (line.kind === 'section') {
      isSkipped = !sections.includes(line.name);
      section = line.name;
      if (isSkipped && !isForeign(line.name)) issues.set(`[${line.name}]`, reportSection(unit, line.name));
    } else if (section === undefined) {
      issues.set('', reportOutside(unit, line));
    } else if (line.kind === 'assignment' && !isSkipped && !isForeign(line.name)) {
      const issue = checkKey(unit, section, line.name);
      if (issue !== undefined) issues.set(`[${section}]${line.name}`, issue);
    }
  }
  return [...issues.values()];
}

/** Other programs may keep what is theirs under such names. */
function isForeign(name: string): boolean {
  return name.startsWith('X-');
}

function checkKey(unit: UnitText, section: string, key: string): Issue | undefined {
  const directive = findDirective(section, key);
  if (directive === undefined) return reportKey(unit, section, key);
  if (directive === 'removed') {
    const message = `systemd ${knownSystemdVersion()} ignores ${key}= in [${section}]: its support was removed`;
    return say(unit, unitKeyRules.key, { message, hint: `remove ${key}=` });
  }
  if (directive.since <= widespreadVersion) return undefined;
  const message = `${key}= requires systemd ${directive.since}; RHEL CoreOS 9 has ${widespreadVersion}, which ignores it`;
  return say(unit, unitKeyRules.keySince, { message });
}

/** Other text may be the rest of a command, with a secret in it. */
const keyName = /^[\w-]{1,80}$/;

function reportKey(unit: UnitText, section: string, key: string): Issue {
  if (!keyName.test(key)) {
    return say(unit, unitKeyRules.key, {
      message: `systemd ignores a line in [${section}]: the text before its "=" is not a key`,
      hint: 'remove the line, or end the line before it with a backslash if it continues that line',
    });
  }
  return say(unit, unitKeyRules.key, {
    message: `systemd ignores ${key}= in [${section}]: unknown key`,
    hint: hintKey(unit.type, section, key),
  });
}

function hintKey(type: string, section: string, key: string): string {
  const place = suggestDirective(type, section, key);
  if (place === undefined) return `remove ${key}=, or name it X-${key}= if another program reads it`;
  if (place.type !== undefined) {
    return `remove ${key}=; only the section [${place.section}] of a unit whose name ends in .${place.type} has it`;
  }
  const inSection = `to the section [${place.section}]`;
  if (place.key === key) return `move ${key}= ${inSection}`;
  return place.section === section ? `use ${place.key}=` : `use ${place.key}=, and move it ${inSection}`;
}

function reportSection(unit: UnitText, header: string): Issue {
  const name = header.slice(0, 80);
  const place = suggestSection(unit.type, name);
  const message = `systemd ignores the section [${name}]: unknown section`;
  if (place === undefined) {
    return say(unit, unitKeyRules.section, {
      message,
      hint: `remove the section, or name it [X-${name}] if another program reads it`,
    });
  }
  const hint =
    place.type === unit.type
      ? `use [${place.section}]`
      : `move the section to a unit whose name ends in .${place.type}`;
  return say(unit, unitKeyRules.section, { message, hint });
}

function reportOutside(unit: UnitText, line: SystemdLine): Issue {
  const what = line.kind === 'assignment' && keyName.test(line.name) ? `${line.name}=` : 'a line';
  const message = `systemd ignores ${what} above the first section`;
  return say(unit, unitKeyRules.key, { message, hint: 'move it below the header of its section' });
}

function say({ name, path }: UnitText, rule: Rule, { message, hint = rule.hint }: Said): Issue {
  return broken(rule, path, { message: `${name}: ${message}`, hint });
}

interface Said {
  readonly message: string;
  readonly hint?: string;
}
