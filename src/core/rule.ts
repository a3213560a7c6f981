/**
 * Rules for everything that is checked. A rule is declared once, beside its check. Checks yield issues that refer to their rule;
 * reports and `explain` read all other properties from the rule.
 */

import type { Finding, Path, Position, Problem, Severity } from './finding.ts';

export interface Rule {
  /** Stable and documented; lower-case words joined by dashes, e.g. `path-relative`. */
  readonly id: string;
  readonly severity: Severity;
  /**
   * Ignition accepts what breaks the rule. Such a rule can be ignored (`--ignore`, `--lint none`) even if it is an error:
   * the user may know more than the config says.
   */
  readonly isLint?: true;
  /**
   * For what Ignition reports, too, the words of ignition-validate to the letter, even where they break the rules for texts of
   * this program: users search for them, and `npm run agreement` and `npm run differential` compare them. Other messages name
   * the fault and the value.
   */
  readonly message: string;
  /** How to fix it: one imperative sentence. */
  readonly hint: string;
}

/** Why a value breaks a rule, wherever the value is from: a setting, or a config. */
export interface RuleProblem extends Problem {
  readonly rule: Rule;
}

/** A violation of a rule. `path` is relative to the checked value. */
export interface Issue {
  readonly rule: Rule;
  readonly path: Path;
  /** The line, and the column if it is known, in the text that the value at `path` contains. */
  readonly line?: number | undefined;
  readonly column?: number | undefined;
  /** Specific texts that replace the message and the hint of the rule. */
  readonly message?: string;
  readonly hint?: string | undefined;
}

/** Converts an issue to a finding; texts that the issue leaves out are those of the rule. */
export function findingOf(placed: Issue & { readonly position?: Position | undefined }): Finding {
  const { rule, path, line, column, message = rule.message, hint = rule.hint, position } = placed;
  const { id, isLint, severity } = rule;
  return {
    severity,
    rule: id,
    path,
    message,
    hint,
    ...(line !== undefined && { line, column }),
    ...(position && { position }),
    ...(isLint && { isLint }),
  };
}

// Functions that declare rules and report issues.

/** Declares a rule for invalid configs or images, which Ignition or another program refuses. */
export function errorRule(id: string, message: string, hint: string): Rule {
  return { id, severity: 'error', message, hint };
}

/** Declares a rule for accepted input that is probably a mistake. */
export function warningRule(id: string, message: string, hint: string): Rule {
  return { id, severity: 'warning', message, hint };
}

/** Declares a rule for information that requires no change. */
export function infoRule(id: string, message: string, hint: string): Rule {
  return { id, severity: 'info', message, hint };
}

// Rules of this program, which the user can turn off.

/** Declares a rule for input with which the system, a unit or the agent certainly does not start. */
export function lintError(id: string, message: string, hint: string): Rule {
  return { id, severity: 'error', isLint: true, message, hint };
}

/** Declares a rule for input that is probably unwanted; everything starts. */
export function lintWarning(id: string, message: string, hint: string): Rule {
  return { id, severity: 'warning', isLint: true, message, hint };
}

/** Declares a rule for information that requires no change. */
export function lintNote(id: string, message: string, hint: string): Rule {
  return { id, severity: 'info', isLint: true, message, hint };
}

/** A violation; `hint` replaces the hint of the rule. */
export function issue(rule: Rule, path: Path, hint?: string): Issue {
  return hint === undefined ? { rule, path } : { rule, path, hint };
}

/** A violation with a detail after the message of the rule. */
export function issueWith(rule: Rule, path: Path, detail: string): Issue {
  return { rule, path, message: `${rule.message}: ${detail}` };
}

/** Collects the issues of a check: those whose condition is true, as in `name === '' && issue(…)`. */
export function found(
  ...issues: readonly (Issue | readonly (Issue | undefined | false | '')[] | undefined | false | '')[]
): readonly Issue[] {
  return issues.flat().filter((one) => one !== undefined && one !== false && one !== '');
}

const LONGEST_SUGGESTION = 120;

/** A hint with the corrected value, unless the value is too long to read. */
export function suggest(text: string): string | undefined {
  return text.length > LONGEST_SUGGESTION ? undefined : `write ${JSON.stringify(text)}`;
}
