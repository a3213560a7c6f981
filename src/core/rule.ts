/**
 * Rules for everything that is checked. A rule is declared once, beside its check, and is the finding that a check gives, without
 * its place: `{ ...rule, path }`. Specific texts replace those of the rule.
 */

import type { Finding, Path, Problem, Severity } from './finding.ts';

export interface Rule extends Problem {
  /** Stable and documented; lower-case words joined by dashes, e.g. `path-relative`. */
  readonly rule: string;
  readonly severity: Severity;
  /**
   * Ignition accepts what breaks the rule. Such a rule can be ignored (`--ignore`, `--lint none`) even if it is an error:
   * the user may know more than the config says.
   */
  readonly isLint?: true;
  /**
   * For what Ignition reports, too, the words of ignition-validate to the letter, even where they break the rules for texts of
   * this program: users search for them, and tests compare them with ignition-validate. Other messages name the fault and the
   * value.
   */
  readonly message: string;
}

const declareAs =
  (severity: Severity, isLint?: true) =>
  (rule: string, message: string, hint: string): Rule => ({
    rule,
    severity,
    ...(isLint && { isLint }),
    message,
    hint,
  });

/** The message and the hint of each rule. */
export type RuleTexts<Name extends string> = Readonly<Record<Name, readonly [message: string, hint: string]>>;

/** A table of rules by their names. */
export function ruleTable<Name extends string>(
  declare: (name: string, message: string, hint: string) => Rule,
  texts: RuleTexts<Name>,
): Readonly<Record<Name, Rule>> {
  const rules = Object.entries<RuleTexts<Name>[Name]>(texts).map(([name, [message, hint]]) => [
    name,
    declare(name, message, hint),
  ]);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the names are those of the texts
  return Object.fromEntries(rules) as Record<Name, Rule>;
}

const declareAllAs =
  (declare: ReturnType<typeof declareAs>) =>
  <Name extends string>(texts: RuleTexts<Name>) =>
    ruleTable(declare, texts);

/** Declares a rule for invalid configs or images, which Ignition or another program refuses. */
export const errorRule = declareAs('error');
export const errorRules = declareAllAs(errorRule);
/** Declares a rule for accepted input that is probably a mistake. */
export const warningRule = declareAs('warning');
export const warningRules = declareAllAs(warningRule);
/** Declares a rule for information that requires no change. */
export const infoRule = declareAs('info');
export const infoRules = declareAllAs(infoRule);
/** Declares a rule, which the user can turn off, for input with which the system, a unit or the agent certainly does not start. */
export const lintError = declareAs('error', true);
export const lintErrors = declareAllAs(lintError);
/** The same for input that is probably unwanted; everything starts. */
export const lintWarning = declareAs('warning', true);
export const lintWarnings = declareAllAs(lintWarning);
/** The same for information that requires no change. */
export const lintNote = declareAs('info', true);

/** A violation; `hint` replaces the hint of the rule. */
export function issue(rule: Rule, path: Path, hint = rule.hint): Finding {
  return { ...rule, path, hint };
}

/** A violation with a detail after the message of the rule. */
export function issueWith(rule: Rule, path: Path, detail: string): Finding {
  return { ...rule, path, message: `${rule.message}: ${detail}` };
}

/** Collects the findings of a check: those whose condition is true, as in `name === '' && issue(…)`. */
export function found(
  ...issues: readonly (Finding | readonly (Finding | undefined | false | '')[] | undefined | false | '')[]
): readonly Finding[] {
  return issues.flat().filter((one) => one !== undefined && one !== false && one !== '');
}

const LONGEST_SUGGESTION = 120;

/** A hint with the corrected value, unless the value is too long to read. */
export function suggest(text: string): string | undefined {
  return text.length > LONGEST_SUGGESTION ? undefined : `write ${JSON.stringify(text)}`;
}
