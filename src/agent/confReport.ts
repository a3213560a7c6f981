/**
 * Findings of `checkConf` for the conf of given settings, each with the place where the user wrote the value: an option
 * line, a line of the user's conf, or a setting.
 */

import { formatSource, type InputSource } from '../core/errors.ts';
import { readDefaults } from '../formats/osloConfig.ts';
import type { Diagnostic, Finding } from '../core/finding.ts';
import { renderAgentConf } from './agentConfig.ts';
import { checkConf } from './confCheck.ts';
import { declaresCollectors, isEntryPoints } from '../ipa/collectors.ts';
import { confRules } from '../ipa/confRules.ts';
import { formatOptionLines } from './conf.ts';
import type { AgentSettings } from './settings.ts';

/** The message begins with the name of the source, unless that is a line of the user's conf. */
export type ConfRemark = Pick<Diagnostic, 'severity' | 'rule' | 'message' | 'hint' | 'at'>;

/** The source of option lines that no other is known of. */
const optionFlag: InputSource = { name: '--option' };

/** The sources of the settings. */
export interface ConfSources {
  /** File name of `userConf`. */
  readonly userConf: string;
  /** The sources of the lines of `optionLines`, in the same order. */
  readonly optionLines: readonly InputSource[];
  /** The sources of options that settings set; the key is the name of the option. */
  readonly options: Readonly<Record<string, InputSource>>;
}

/** Checks several configs; a conf that equals the previous one is not checked again. */
export function createConfCheck(): typeof checkAgentConf {
  let last: { readonly key: string; readonly remarks: readonly ConfRemark[] } | undefined;
  return (settings, sources) => {
    const { optionLines, profile, userConf } = settings;
    const conf = renderAgentConf(settings);
    const key = JSON.stringify([profile, conf, optionLines, userConf, addsCollectors(settings), sources]);
    if (last?.key !== key) last = { key, remarks: checkAgentConf(settings, sources) };
    return last.remarks;
  };
}

/** The rules that the whole conf decides: about a missing line, and about collectors that a hardware manager may add. */
const rulesOfWhole: ReadonlySet<string> = new Set([
  confRules.caMissing.rule,
  confRules.collector.rule,
  confRules.insecureUnset.rule,
]);

/** The findings without repetition. The agent starts if no finding is an error. */
export function checkAgentConf(settings: AgentSettings, sources: ConfSources): readonly ConfRemark[] {
  const { optionLines, userConf = '' } = settings;
  const hasUnknown = !addsCollectors(settings);
  const whole = checkConf(renderAgentConf(settings)).filter(
    ({ rule }) => hasUnknown || rule !== confRules.collector.rule,
  );
  const ofWhole = new Set(whole.map(({ rule }) => rule));
  // A part may lack a line that another part contains.
  const isOfPart = ({ rule }: Finding): boolean => !rulesOfWhole.has(rule) || ofWhole.has(rule);
  const ofLines = checkConf(formatOptionLines(optionLines)).filter(isOfPart);
  const ofUser = checkConf(userConf).filter(isOfPart);
  const reported = new Set([...ofLines, ...ofUser].map(identify));
  const ofResult = whole.filter(
    (finding) => finding.rule !== confRules.overridden.rule && !reported.has(identify(finding)),
  );
  const remarks = [
    ...ofUser.map((finding) => ({
      severity: finding.severity,
      rule: finding.rule,
      at: { file: sources.userConf, ...finding.position },
      message: finding.message,
      hint: finding.hint,
    })),
    ...ofLines.map((finding) => toRemark(withoutLine(finding), optionLineOf(finding, sources))),
    ...ofResult.map((finding) => toRemark(finding, settingOf(finding, sources))),
    ...findOverridden(settings, sources),
  ];
  // One flag may set several options.
  return [...new Map(remarks.map((remark) => [JSON.stringify(remark), remark])).values()];
}

/** Whether a hardware manager brings collectors, so that those of the agent are not all. */
function addsCollectors({ hardwareManagers }: AgentSettings): boolean {
  return hardwareManagers
    .flatMap(({ files }) => files)
    .some(({ content, path }) => isEntryPoints(path) && declaresCollectors(Buffer.from(content).toString()));
}

/** Flags without effect, because the user's conf or an option line sets another value. */
function findOverridden(
  settings: AgentSettings,
  { optionLines, options, userConf }: ConfSources,
): ConfRemark[] {
  const own = readDefaults(renderAgentConf({ ...settings, userConf: '', optionLines: [] }));
  const result = readDefaults(renderAgentConf(settings));
  const remarks: ConfRemark[] = [];
  for (const [name, value] of own) {
    const source = options[name];
    if (source === undefined || result.get(name) === value) continue;
    const line = settings.optionLines.findLastIndex((text) =>
      readDefaults(formatOptionLines([text])).has(name),
    );
    const winner = line < 0 ? userConf : formatSource(optionLines[line] ?? optionFlag);
    const message = `${source.name}: ${winner} overrides it with another value of ${name}`;
    remarks.push({ severity: 'warning', rule: confRules.overridden.rule, at: source.at, message });
  }
  return remarks;
}

function identify({ rule, path, message }: Finding): string {
  return JSON.stringify([rule, path, message]);
}

/** Removes line numbers of a generated text from a message. */
function withoutLine(finding: Finding): Finding {
  return finding.rule === confRules.overridden.rule
    ? { ...finding, message: confRules.overridden.message }
    : finding;
}

function toRemark({ severity, rule, message, hint }: Finding, { at, name }: InputSource): ConfRemark {
  return { severity, rule, at, message: `${name}: ${message}`, hint };
}

/** Omits the value, because it may be a secret. Positions are those in the text of {@link formatOptionLines}. */
function optionLineOf({ path, position }: Finding, { optionLines }: ConfSources): InputSource {
  const number = (position?.line ?? 2) - 1;
  const { at, name } = optionLines[number - 1] ?? optionFlag;
  return { at, name: `${name} ${path.at(-1) ?? `(number ${number})`}` };
}

function settingOf({ path }: Finding, { options, optionLines }: ConfSources): InputSource {
  const option = String(path.at(-1) ?? '');
  const { at, name } = optionLines[0] ?? optionFlag;
  return options[option] ?? { at, name: `${name} ${option}`.trimEnd() };
}
