/**
 * Checks a config file of ironic-python-agent as the agent would judge it: errors keep it from starting, warnings name
 * what it ignores without a word. The file is judged alone; what else the agent reads (files of its image, kernel
 * arguments) can only change defaults. Left out: `[SECTION] driver` of sections that `config_source` names.
 *
 * Messages do not quote values: a config may hold secrets, and a value may be put together from them.
 */

import type { OsloDocument, OsloOption, OsloProblemCode } from '../formats/osloConfig.ts';
import { normalizeSection, parseOsloConfig } from '../formats/osloConfig.ts';
import type { Rule } from '../ignition/rule.ts';
import type { Finding, Position } from '../report.ts';
import {
  confCommandLineOnly,
  confDeprecated,
  confEmptyNumber,
  confInlineComment,
  confOverridden,
  confSectionCase,
  confSyntax,
  confUnknownOption,
  confUnknownSection,
  confUrl,
} from './confRules.ts';
import { checkValues } from './confValues.ts';
import type { IpaOption } from './ipaOptions.ts';
import {
  findIpaOption,
  findRemovedIpaOption,
  ipaSectionNames,
  isIpaSection,
  suggestIpaOption,
  suggestIpaSection,
} from './ipaOptions.ts';
import { findUrlProblem } from './ironicUrl.ts';

/** An option of the file that the agent knows. */
interface Setting {
  readonly option: IpaOption;
  readonly line: OsloOption;
  readonly renamed: boolean;
}

/**
 * All findings about the file, in the order of its lines. `path` is the section and the name of the option, and empty
 * for lines that could not be read. The agent starts if and only if none is an error.
 */
export function checkConf(text: string): Finding[] {
  const { document, problems } = parseOsloConfig(text);
  const settings = findSettings(document);
  const effective = findEffective(settings);
  const findings = [
    ...problems.map(({ code, position }) => finding(confSyntax, { ...syntaxTexts[code], position })),
    ...checkNames(document),
    ...settings.flatMap((setting) => checkUse(setting, effective)),
    ...checkEffective(effective),
  ];
  return findings.toSorted((a, b) => comparePositions(a.position, b.position));
}

interface Details {
  readonly path?: readonly string[];
  readonly position: Position | undefined;
  readonly message?: string;
  readonly hint?: string;
}

function finding(rule: Rule, details: Details): Finding {
  const { path = [], position, message = rule.message, hint = rule.hint } = details;
  const place = position === undefined ? {} : { position };
  return { severity: rule.severity, rule: rule.id, path, message, hint, ...place };
}

function comparePositions(a?: Position, b?: Position): number {
  return (a?.line ?? 0) - (b?.line ?? 0) || (a?.column ?? 0) - (b?.column ?? 0);
}

const syntaxTexts: Record<OsloProblemCode, { readonly message: string; readonly hint: string }> = {
  'separator-missing': {
    message: 'the line has neither "=" nor ":"',
    hint: 'Write "name = value", or put "#" in front of a comment; a byte order mark counts as text, too',
  },
  'name-missing': {
    message: 'there is no name in front of the separator',
    hint: 'Write "name = value"',
  },
  'section-missing': {
    message: 'the option stands above the first section',
    hint: 'Put "[DEFAULT]" on a line above it',
  },
  'stray-continuation': {
    message: 'the line starts with a blank and there is no value above that it could continue',
    hint: 'Remove the blanks at its start; blank lines and comments end a value',
  },
  'section-unclosed': {
    message: 'the section header does not end with "]"',
    hint: 'Nothing may follow the "]"; put comments on lines of their own',
  },
  'section-unnamed': { message: 'the section has no name', hint: 'Write "[DEFAULT]"' },
};

function findSettings(document: OsloDocument): Setting[] {
  return document.entries.flatMap((line) => {
    if (line.kind !== 'option') return [];
    const match = findIpaOption(line.section, line.name);
    return match === undefined ? [] : [{ ...match, line }];
  });
}

/** The line that counts for each option: the last one; one with an old name only where no line has the new one. */
function findEffective(settings: readonly Setting[]): ReadonlyMap<IpaOption, Setting> {
  const effective = new Map<IpaOption, Setting>();
  for (const setting of settings) {
    const present = effective.get(setting.option);
    const wins = present === undefined || rank(setting) <= rank(present);
    if (wins) effective.set(setting.option, setting);
  }
  return effective;
}

/** The smaller, the earlier oslo.config looks for the name: the declared one, then old ones as they are listed. */
function rank({ option, line, renamed }: Setting): number {
  if (!renamed) return -1;
  return (option.deprecatedNames ?? []).indexOf(`${normalizeSection(line.section)}.${line.name}`);
}

function checkNames(document: OsloDocument): Finding[] {
  const known = new Set(ipaSectionNames());
  let header: Position | undefined;
  let reported = false;
  return document.entries.flatMap((entry): Finding[] => {
    if (entry.kind === 'remark') return [];
    if (entry.kind === 'section') {
      header = entry.position;
      reported = false;
      const otherCase = !isIpaSection(entry.name) && isIpaSection(normalizeSection(entry.name));
      return otherCase ? [finding(confSectionCase, { path: [entry.name], position: header })] : [];
    }
    if (known.has(normalizeSection(entry.section))) return checkName(entry);
    if (reported) return [];
    reported = true;
    return [unknownSection(entry.section, header)];
  });
}

function unknownSection(name: string, position: Position | undefined): Finding {
  const suggestion = suggestIpaSection(name);
  const details = { path: [name], position };
  if (suggestion === undefined) return finding(confUnknownSection, details);
  return finding(confUnknownSection, { ...details, hint: `Did you mean "[${suggestion}]"?` });
}

function checkName(line: OsloOption): Finding[] {
  if (findIpaOption(line.section, line.name) !== undefined) return [];
  const details = { path: [line.section, line.name], position: line.position };
  const removed = findRemovedIpaOption(line.name);
  if (removed !== undefined) {
    const message = `the agent ignores the option since the release after ${removed.last}`;
    return [finding(confUnknownOption, { ...details, message, hint: 'Remove the line' })];
  }
  const suggestion = suggestIpaOption(line.section, line.name);
  if (suggestion === undefined) return [finding(confUnknownOption, details)];
  const place = suggestion.section === normalizeSection(line.section) ? '' : ` in [${suggestion.section}]`;
  return [finding(confUnknownOption, { ...details, hint: `Did you mean "${suggestion.name}"${place}?` })];
}

/** What there is to say about a line whether its value counts or not. */
function checkUse(setting: Setting, effective: ReadonlyMap<IpaOption, Setting>): Finding[] {
  const { option, line, renamed } = setting;
  const details = { path: [line.section, line.name], position: line.position };
  const findings: Finding[] = [];
  const winner = effective.get(option);
  if (winner !== undefined && winner !== setting) {
    const message = `the line has no effect: line ${winner.line.position?.line} sets ${option.name}`;
    findings.push(finding(confOverridden, { ...details, message }));
  }
  if (renamed) {
    const hint = `Write "${option.name}" in [${option.section}]`;
    findings.push(finding(confDeprecated, { ...details, message: 'the name is an old one', hint }));
  } else if (option.deprecated !== undefined) {
    const message = 'the option is going to be removed from the agent';
    findings.push(finding(confDeprecated, { ...details, message, hint: option.deprecated }));
  }
  if (option.commandLineOnly === true) findings.push(finding(confCommandLineOnly, details));
  return findings;
}

function checkEffective(effective: ReadonlyMap<IpaOption, Setting>): Finding[] {
  const issues = checkValues(new Map([...effective].map(([option, { line }]) => [option, line.value])));
  return [...effective.values()].flatMap(({ option, line }) => {
    const details = { path: [line.section, line.name], position: line.valuePosition };
    const issue = issues.get(option);
    const comment = hasInlineComment(line.value) ? [finding(confInlineComment, details)] : [];
    if (issue !== undefined) return [finding(issue.rule, { ...details, ...issue }), ...comment];
    return [...comment, ...checkEmptyNumber(option, line, details), ...checkUrl(option, line, details)];
  });
}

function hasInlineComment(value: string): boolean {
  return /\s[#;]\s/.test(value);
}

function checkEmptyNumber({ type }: IpaOption, { value }: OsloOption, details: Details): Finding[] {
  const isNumber = type === 'integer' || type === 'port' || type === 'float';
  return isNumber && value.trim() === '' ? [finding(confEmptyNumber, details)] : [];
}

/** The agent checks no more of its URLs than how the first one starts. */
function checkUrl({ section, name }: IpaOption, { value }: OsloOption, details: Details): Finding[] {
  const isUrl = section === 'DEFAULT' && (name === 'api_url' || name === 'inspection_callback_url');
  if (!isUrl || value.includes('$') || hasInlineComment(value)) return [];
  const problem = findUrlProblem(value);
  return problem === undefined ? [] : [finding(confUrl, { ...details, ...problem })];
}
