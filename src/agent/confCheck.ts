/**
 * Checks a config file of ironic-python-agent like the agent: errors prevent it from starting, warnings are problems that
 * it ignores silently. Only this file is checked; other sources of the agent (files of its image, kernel arguments) can
 * only change defaults. `[SECTION] driver` in sections that `config_source` refers to is not checked.
 *
 * Messages do not quote values: a config may contain secrets, also as parts of other values.
 */

import { comparePositions, formatSource } from '../core/errors.ts';
import { sequenceLength } from '../formats/utf8.ts';
import { isUtf8 } from 'node:buffer';
import { parseHost } from '../formats/hostName.ts';
import { lineColumns } from '../formats/lineColumns.ts';
import {
  type OsloDocument,
  type OsloOption,
  type OsloParse,
  type OsloSource,
  type OsloProblemCode,
  normalizeSection,
  parseOsloConfig,
} from '../formats/osloConfig.ts';
import { found } from '../core/rule.ts';
import { append } from '../core/lists.ts';
import {
  type Finding,
  hasErrors,
  limitFindings,
  MAX_FINDINGS,
  type Problem,
  type Report,
} from '../core/finding.ts';
import { findCollectorProblem } from '../ipa/collectors.ts';
import { confRules } from '../ipa/confRules.ts';
import { findInternalTlsHost } from '../network/internalHost.ts';
import { findValueProblem, parseOsloBoolean } from '../ipa/confValues.ts';
import {
  type IpaOption,
  type IpaVersion,
  findIpaOption,
  findRemovedIpaOption,
  hadIpaOption,
  hasIpaOption,
  ipaSectionNames,
  suggestIpaOption,
  suggestIpaSection,
} from '../ipa/ipaOptions.ts';
import { findAddressProblem } from './machineAddress.ts';
import { findUrlListAddress, findUrlProblem, hasHttpsUrl } from './ironicUrl.ts';

interface Setting {
  readonly option: IpaOption;
  readonly line: OsloOption;
  /** The line uses an old name of the option. */
  readonly renamed: boolean;
  /** The release supports the current name of the option. */
  readonly isThere: boolean;
}

/**
 * All findings, ordered by line. `path` is the section and the name of the option, and empty for lines that could not be
 * parsed. The agent starts if and only if no finding is an error.
 * @param ipaVersion the release of the agent that reads the file; default: the newest
 */
export function checkConf(text: string, ipaVersion?: IpaVersion): readonly Finding[] {
  return checkConfParts([parseOsloConfig(text)], ipaVersion);
}

/** A finding about a line that has a source. */
export interface ConfFinding extends Finding {
  readonly from?: OsloSource | undefined;
}

/** The same for a conf that is made of several parts, of which later ones take precedence. */
export function checkConfParts(parts: readonly OsloParse[], ipaVersion?: IpaVersion): readonly ConfFinding[] {
  const findings = parts.flatMap(({ problems }) => problems.map(syntaxFinding));
  const entries = parts.flatMap((part) => part.entries);
  const settings = readSettings({ entries }, findings, ipaVersion);
  // The effective line of each option: the last one; a line with an old name counts only without a line with the new name.
  const effective = new Map<IpaOption, Setting>();
  for (const setting of settings) {
    const present = effective.get(setting.option);
    const wins = present === undefined || rank(setting) <= rank(present);
    if (wins) effective.set(setting.option, setting);
  }
  for (const setting of settings) {
    append(findings, checkLine(setting, effective.get(setting.option)?.line));
  }
  append(findings, [...checkEffective(effective, ipaVersion), ...checkTrust(effective)]);
  return limitFindings(findings.toSorted((a, b) => comparePositions(a.position, b.position)));
}

/**
 * Like `checkConf`, for the bytes of a file; valid if the agent starts. Columns count bytes. If the text is not UTF-8,
 * that is the only finding.
 */
export function checkConfFile(bytes: Uint8Array, ipaVersion?: IpaVersion): Report {
  const document = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const text = document.toString('utf8');
  const offset = findNotUtf8(document);
  const findings =
    offset === undefined
      ? checkConf(text, ipaVersion)
      : [
          {
            ...confRules.syntax,
            path: [],
            position: lineColumns(bytes)(offset),
            message: 'the file contains bytes that are not UTF-8',
            hint: 'save the file as UTF-8',
          },
        ];
  return { valid: !hasErrors(findings), findings };
}

function findNotUtf8(bytes: Buffer): number | undefined {
  if (isUtf8(bytes)) return undefined;
  let at = 0;
  for (let length = 1; length > 0; at += length) length = sequenceLength(bytes, at, bytes.length);
  return at;
}

function atName({ from, section, name, position }: OsloOption): Place {
  return { path: [section, name], position, from };
}

function atValue({ valuePosition, ...line }: OsloOption): Place {
  return { ...atName(line), position: valuePosition };
}

type Place = Pick<ConfFinding, 'from' | 'path' | 'position'>;

export function syntaxFinding({ code, ...place }: OsloParse['problems'][number]): ConfFinding {
  return { ...confRules.syntax, path: [], ...syntaxTexts[code], ...place };
}

const syntaxTexts: Record<OsloProblemCode, Problem> = {
  'separator-missing': {
    message: 'the line contains neither "=" nor ":"',
    hint: 'write "name = value", or "#" in front of a comment; a byte order mark also counts as text',
  },
  'name-missing': {
    message: 'the line has no name before the separator',
    hint: 'write "name = value"',
  },
  'section-missing': {
    message: 'the option is above the first section',
    hint: 'add the line "[DEFAULT]" above it',
  },
  'stray-continuation': {
    message: 'the line starts with whitespace, but there is no value above it to continue',
    hint: 'remove the leading whitespace; empty lines and comments end a value',
  },
  'section-unclosed': {
    message: 'the section header does not end with "]"',
    hint: 'remove the text after "]", or move a comment to a separate line',
  },
  'section-unnamed': { message: 'the section has no name', hint: 'write "[DEFAULT]"' },
};

/** The supported options of the file; adds findings about names that the agent ignores. */
function readSettings(document: OsloDocument, findings: Finding[], ipaVersion?: IpaVersion): Setting[] {
  const settings: Setting[] = [];
  let header: Omit<Place, 'path'> = {};
  let reported = false;
  for (const line of document.entries) {
    if (line.kind === 'remark') continue;
    if (line.kind === 'section') {
      header = { position: line.position, from: line.from };
      reported = false;
      continue;
    }
    const match = findIpaOption(line.section, line.name);
    if (match !== undefined) {
      const isThere = ipaVersion === undefined || hasIpaOption(match.option, ipaVersion);
      settings.push({ ...match, line, isThere });
    } else if (ipaSectionNames().has(normalizeSection(line.section))) {
      append(findings, checkUnknownName(line, findings, ipaVersion));
    } else if (!reported) {
      reported = true;
      findings.push(unknownSection(line.section, header));
    }
  }
  return settings;
}

/** Lookup order of oslo.config, smallest first: the declared name, then old names in the listed order. */
function rank({ option, line, renamed }: Setting): number {
  if (!renamed) return -1;
  return (option.deprecatedNames ?? []).indexOf(`${normalizeSection(line.section)}.${line.name}`);
}

function unknownSection(name: string, header: Omit<Place, 'path'>): Finding {
  const suggestion = suggestIpaSection(name);
  const hint =
    suggestion === undefined
      ? 'move the options to [DEFAULT] (capital letters, no spaces), where most options belong'
      : `use "[${suggestion}]"`;
  const message = 'unknown section: the agent ignores it and its options';
  return { ...confRules.unknown, ...header, path: [name], message, hint };
}

function checkUnknownName(
  line: OsloOption,
  findings: readonly Finding[],
  ipaVersion: IpaVersion | undefined,
): Finding[] {
  const removed = findRemovedIpaOption(line.name, line.section);
  if (removed !== undefined) {
    if (ipaVersion !== undefined && hadIpaOption(removed, ipaVersion)) return [];
    const message = `the agent ignores the option since the release after ${removed.last}`;
    return [{ ...confRules.unknown, ...atName(line), message, hint: `remove the line of ${line.name}` }];
  }
  const isListed = findings.length < MAX_FINDINGS; // a suggestion takes time
  const suggestion = isListed ? suggestIpaOption(line.section, line.name) : undefined;
  if (suggestion === undefined) return [{ ...confRules.unknown, ...atName(line) }];
  const place = suggestion.section === normalizeSection(line.section) ? '' : ` in [${suggestion.section}]`;
  return [{ ...confRules.unknown, ...atName(line), hint: `use "${suggestion.name}"${place}` }];
}

/** Findings about the line, not its value: overridden by `winner`, or too new. */
function checkLine(
  { option, line, renamed, isThere }: Setting,
  winner: OsloOption | undefined,
): readonly Finding[] {
  const overridden = winner === undefined || winner === line ? undefined : explainOverridden(line, winner);
  const message = `the agent ignores the option: release ${option.since} added it`;
  const hint = 'remove the line, or use a newer agent';
  return found(
    overridden && { ...confRules.overridden, ...atName(line), ...overridden },
    // If the release does not support the current name, the old name is correct.
    !isThere && !renamed && { ...confRules.unknown, ...atName(line), message, hint },
  );
}

/** Parts of a conf are there to override others: only what a setting loses is a problem. */
function explainOverridden(line: OsloOption, winner: OsloOption): Partial<Problem> | undefined {
  const kind = line.from?.kind;
  if (kind !== winner.from?.kind) {
    if (kind !== 'setting' || winner.from === undefined || winner.value === line.value) return undefined;
    const { at, name } = winner.from;
    const by = name === '' ? `${line.name} in ${at?.file}` : formatSource(winner.from);
    return { message: `${by} overrides it with another value`, hint: `remove ${by}, or the setting` };
  }
  if (kind === 'line') return {};
  const number = winner.position?.line;
  const message = `the line has no effect: line ${number} sets ${winner.name}`;
  return { message, hint: `remove this line, or line ${number}` };
}

function checkEffective(effective: ReadonlyMap<IpaOption, Setting>, ipaVersion?: IpaVersion): Finding[] {
  const findings: Finding[] = [];
  for (const { option, line, renamed, isThere } of effective.values()) {
    // A release that does not read the option accepts any value.
    if (!isThere && !renamed) continue;
    const { value } = line;
    const problem = findValueProblem(value, option);
    if (problem !== undefined) findings.push({ ...problem, ...atValue(line) });
    const hasComment = /\s[#;]\s/.test(value);
    if (hasComment) {
      const message = 'the text that looks like a comment is part of the value';
      const hint = 'move the comment to a separate line';
      findings.push({ ...confRules.unusable, ...atValue(line), message, hint });
    }
    if (problem !== undefined) continue;
    const isNumber = ['integer', 'port', 'float'].includes(option.type);
    if (isNumber && value.trim() === '') {
      const message = 'the value is empty: the option has no value, and its default is not used';
      findings.push({ ...confRules.unusable, ...atValue(line), message });
    }
    // What `$` expands to is unknown here, and a comment in the value is already reported.
    const isPlain = option.section === 'DEFAULT' && !hasComment && !value.includes('$');
    if (isPlain) append(findings, checkText(line, option.name, ipaVersion));
  }
  return findings;
}

/** Texts that the agent does not check when it starts; of URLs, it checks only the start of the first one. */
function checkText(line: OsloOption, name: string, ipaVersion?: IpaVersion): Finding[] {
  if (name === 'api_url' || name === 'inspection_callback_url') {
    const problem = findUrlProblem(line.value, name) ?? findPathProblem(line.value);
    if (problem === undefined) {
      const address = findUrlListAddress(line.value);
      return address === undefined ? [] : [{ ...address, ...atValue(line) }];
    }
    const { hint, message } = problem;
    return [{ ...confRules.unusable, ...atValue(line), message, hint }];
  }
  if (name === 'ntp_server') {
    const address = findAddressProblem(parseHost(line.value));
    if (address === undefined) return [];
    const { hint, message, severity } = address;
    // The agent starts without the time of a server.
    const rule = severity === 'error' ? confRules.unusable : address;
    return [{ ...rule, ...atValue(line), message, hint }];
  }
  if (name === 'inspection_collectors') {
    const problem = findCollectorProblem(line.value, ipaVersion);
    return problem === undefined ? [] : [{ ...confRules.collector, ...atValue(line), ...problem }];
  }
  return [];
}

/**
 * Whether the agent verifies the certificate of Ironic, and can. Without a line "insecure", a kernel argument decides.
 */
function checkTrust(effective: ReadonlyMap<IpaOption, Setting>): Finding[] {
  const linesOf = (name: string): OsloOption[] =>
    [...effective.values()].flatMap(({ option, line }) =>
      option.section === 'DEFAULT' && option.name === name ? line : [],
    );
  const [insecure] = linesOf('insecure');
  if (insecure !== undefined && parseOsloBoolean(insecure.value) === true) return [];
  const cafile = linesOf('cafile').find(({ value }) => value !== '');
  const urls = [...linesOf('api_url'), ...linesOf('inspection_callback_url')];
  const verified = cafile ?? urls.find(({ value }) => hasHttpsUrl(value));
  const isUnset = insecure === undefined && verified !== undefined;
  const unset = isUnset ? [{ ...confRules.insecureUnset, ...atName(verified) }] : [];
  if (cafile !== undefined) return unset;
  const missing = urls.flatMap((line) =>
    line.value.split(',').flatMap((url) => {
      const host = findInternalTlsHost(url);
      if (host === undefined) return [];
      const message = `no public CA issues certificates for ${host}: without "cafile", the agent rejects the certificate of Ironic unless its container trusts the CA`;
      return { ...confRules.caMissing, ...atValue(line), message };
    }),
  );
  return [...unset, ...missing.slice(0, 1)];
}

/** Typical errors of programs that complete URLs: the agent accepts the URL, but Ironic does not serve the path. */
function findPathProblem(list: string): Problem | undefined {
  if (/:\/\/[^,]*\/\//.test(list)) {
    return { message: 'the path of the URL contains two consecutive slashes', hint: 'write one slash' };
  }
  if (list.includes('/v1/continue_inspection/v1/continue')) {
    const message = 'the URL contains the path for inspection data twice';
    const hint = 'end it with /v1/continue_inspection, or with /v1/continue for ironic-inspector';
    return { message, hint };
  }
  return undefined;
}
