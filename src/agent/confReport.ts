/**
 * What `checkConf` has to say about the conf of given settings, with each finding at the place that the user wrote:
 * a single option line, a line of their own conf, or the setting that became an option.
 */

import { readDefaults } from '../formats/osloConfig.ts';
import type { Finding, Severity } from '../core/finding.ts';
import { renderAgentConf } from './agentConfig.ts';
import { checkConf } from './confCheck.ts';
import { confRules } from '../ipa/confRules.ts';
import { formatOptionLines } from './conf.ts';
import type { AgentSettings } from './settings.ts';

export interface ConfRemark {
  readonly severity: Severity;
  /** The id of the rule. */
  readonly rule: string;
  /** Where it was written: a flag, or a file with line and column. */
  readonly place: string;
  readonly message: string;
  readonly hint?: string;
}

/** How the user calls what the settings were read from. */
export interface ConfPlaces {
  /** File name of `userConf`. */
  readonly userConf: string;
  /** Name of the flag for a line of `optionLines`. */
  readonly optionLine: string;
  /** Names of the flags for options that settings become; the key is the option's name. */
  readonly options: Readonly<Record<string, string>>;
}

/** The same check for one config after the other; those that have the conf of the one before are not checked again. */
export function createConfCheck(): typeof checkAgentConf {
  let last: { readonly key: string; readonly remarks: readonly ConfRemark[] } | undefined;
  return (settings, places) => {
    const { optionLines, profile, userConf } = settings;
    const key = JSON.stringify([profile, renderAgentConf(settings), optionLines, userConf, places]);
    if (last?.key !== key) last = { key, remarks: checkAgentConf(settings, places) };
    return last.remarks;
  };
}

/** Each thing once, where it was written rather than where it went. The agent would start if none is an error. */
export function checkAgentConf(settings: AgentSettings, places: ConfPlaces): readonly ConfRemark[] {
  const { optionLines, userConf = '' } = settings;
  const ofLines = checkConf(formatOptionLines(optionLines));
  const ofUser = checkConf(userConf);
  const reported = new Set([...ofLines, ...ofUser].map(identify));
  const ofResult = checkConf(renderAgentConf(settings)).filter(
    (finding) => finding.rule !== confRules.overridden.id && !reported.has(identify(finding)),
  );
  const remarks = [
    ...ofUser.map((finding) => toRemark(finding, `${places.userConf}${formatPosition(finding)}`)),
    ...ofLines.map((finding) => toRemark(withoutLine(finding), nameOptionLine(finding, places))),
    ...ofResult.map((finding) => toRemark(finding, nameSetting(finding, places))),
    ...findOverridden(settings, places),
  ];
  // One flag may become several options.
  return [...new Map(remarks.map((remark) => [JSON.stringify(remark), remark])).values()];
}

/** Flags that are given in vain, as the user's conf or an option line says otherwise. */
function findOverridden(settings: AgentSettings, places: ConfPlaces): ConfRemark[] {
  const own = readDefaults(renderAgentConf({ ...settings, userConf: '', optionLines: [] }));
  const result = readDefaults(renderAgentConf(settings));
  const ofLines = readDefaults(formatOptionLines(settings.optionLines));
  return [...own].flatMap(([name, value]) => {
    const flag = places.options[name];
    if (flag === undefined || result.get(name) === value) return [];
    const winner = ofLines.has(name) ? places.optionLine : places.userConf;
    const message = `${winner} sets ${name} to something else, and wins`;
    return [{ severity: 'warning', rule: confRules.overridden.id, place: flag, message }];
  });
}

function identify({ rule, path, message }: Finding): string {
  return JSON.stringify([rule, path, message]);
}

/** A message about lines of a text that the user never sees becomes one without numbers. */
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

/** The value stays out: it may be a secret. */
function nameOptionLine({ path, position }: Finding, { optionLine }: ConfPlaces): string {
  const name = path.at(-1);
  return name === undefined ? `${optionLine} (number ${(position?.line ?? 2) - 1})` : `${optionLine} ${name}`;
}

function nameSetting({ path }: Finding, { options, optionLine }: ConfPlaces): string {
  const name = String(path.at(-1) ?? '');
  return options[name] ?? `${optionLine} ${name}`.trimEnd();
}
