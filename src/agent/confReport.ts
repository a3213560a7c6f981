/**
 * Findings of `checkConf` for the conf of given settings, each with the place where the user wrote the value: an option
 * line, a line of the user's conf, or a setting.
 */

import { readDefaults } from '../formats/osloConfig.ts';
import type { Finding } from '../core/finding.ts';
import { renderAgentConf } from './agentConfig.ts';
import { checkConf } from './confCheck.ts';
import { confRules } from '../ipa/confRules.ts';
import { formatOptionLines } from './conf.ts';
import type { AgentSettings } from './settings.ts';

export interface ConfRemark extends Pick<Finding, 'severity' | 'rule' | 'message' | 'hint'> {
  /** A flag, or a file with line and column. */
  readonly place: string;
}

/** Names for the sources of the settings in messages. */
export interface ConfPlaces {
  /** File name of `userConf`. */
  readonly userConf: string;
  /** Name of the flag for a line of `optionLines`. */
  readonly optionLine: string;
  /** Names of the flags for options that settings set; the key is the name of the option. */
  readonly options: Readonly<Record<string, string>>;
}

/** Checks several configs; a conf that equals the previous one is not checked again. */
export function createConfCheck(): typeof checkAgentConf {
  let last: { readonly key: string; readonly remarks: readonly ConfRemark[] } | undefined;
  return (settings, places) => {
    const { optionLines, profile, userConf } = settings;
    const key = JSON.stringify([profile, renderAgentConf(settings), optionLines, userConf, places]);
    if (last?.key !== key) last = { key, remarks: checkAgentConf(settings, places) };
    return last.remarks;
  };
}

/** The findings without repetition. The agent starts if no finding is an error. */
export function checkAgentConf(settings: AgentSettings, places: ConfPlaces): readonly ConfRemark[] {
  const { optionLines, userConf = '' } = settings;
  const whole = checkConf(renderAgentConf(settings));
  const lacksCa = whole.some(({ rule }) => rule === confRules.caMissing.id);
  // A part may lack "cafile" if the other part sets it.
  const isOfPart = ({ rule }: Finding): boolean => lacksCa || rule !== confRules.caMissing.id;
  const ofLines = checkConf(formatOptionLines(optionLines)).filter(isOfPart);
  const ofUser = checkConf(userConf).filter(isOfPart);
  const reported = new Set([...ofLines, ...ofUser].map(identify));
  const ofResult = whole.filter(
    (finding) => finding.rule !== confRules.overridden.id && !reported.has(identify(finding)),
  );
  const remarks = [
    ...ofUser.map((finding) => toRemark(finding, `${places.userConf}${formatPosition(finding)}`)),
    ...ofLines.map((finding) => toRemark(withoutLine(finding), nameOptionLine(finding, places))),
    ...ofResult.map((finding) => toRemark(finding, nameSetting(finding, places))),
    ...findOverridden(settings, places),
  ];
  // One flag may set several options.
  return [...new Map(remarks.map((remark) => [JSON.stringify(remark), remark])).values()];
}

/** Flags without effect, because the user's conf or an option line sets another value. */
function findOverridden(settings: AgentSettings, places: ConfPlaces): ConfRemark[] {
  const own = readDefaults(renderAgentConf({ ...settings, userConf: '', optionLines: [] }));
  const result = readDefaults(renderAgentConf(settings));
  const ofLines = readDefaults(formatOptionLines(settings.optionLines));
  const remarks: ConfRemark[] = [];
  for (const [name, value] of own) {
    const place = places.options[name];
    if (place === undefined || result.get(name) === value) continue;
    const winner = ofLines.has(name) ? places.optionLine : places.userConf;
    const message = `${winner} overrides it with another value of ${name}`;
    remarks.push({ severity: 'warning', rule: confRules.overridden.id, place, message });
  }
  return remarks;
}

function identify({ rule, path, message }: Finding): string {
  return JSON.stringify([rule, path, message]);
}

/** Removes line numbers of a generated text from a message. */
function withoutLine(finding: Finding): Finding {
  return finding.rule === confRules.overridden.id
    ? { ...finding, message: confRules.overridden.message }
    : finding;
}

function toRemark({ severity, rule, message, hint }: Finding, place: string): ConfRemark {
  return { severity, rule, place, message, ...(hint === undefined ? {} : { hint }) };
}

function formatPosition({ position }: Finding): string {
  return position === undefined ? '' : `:${position.line}:${position.column}`;
}

/** Omits the value, because it may be a secret. */
function nameOptionLine({ path, position }: Finding, { optionLine }: ConfPlaces): string {
  const name = path.at(-1);
  return name === undefined ? `${optionLine} (number ${(position?.line ?? 2) - 1})` : `${optionLine} ${name}`;
}

function nameSetting({ path }: Finding, { options, optionLine }: ConfPlaces): string {
  const name = String(path.at(-1) ?? '');
  return options[name] ?? `${optionLine} ${name}`.trimEnd();
}
