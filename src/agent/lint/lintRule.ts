/** Rules of the lint as data: each has its check, and what it finds has the only text of its message. */

import type { Finding, Path, Severity } from '../../core/finding.ts';
import type { InputSource } from '../../core/errors.ts';
import type { Rule } from '../../core/rule.ts';
import type { SettingName } from '../settingTable.ts';
import type { LintSubject, TargetSystem, UnitSetting } from './subject.ts';

export interface HostLintOptions {
  /** The time for which the validity of certificates is checked. */
  readonly now: Date;
  /** If absent, only what applies to both is checked. */
  readonly machine?: TargetSystem | undefined;
  /** The document, to check whether it fits into a live ISO; if absent, the size is not checked. */
  readonly document?: Uint8Array | undefined;
}

/** Data of the lint for configs that settings made. */
interface Origin {
  /** The file or unit, and what in it has the value, as the message names them before a colon: `a.service: ExecStart=`. */
  readonly place?: string | undefined;
  /** The setting whose value breaks the rule, unless the user wrote this part of the config. */
  readonly settingName?: SettingName | undefined;
  /** The input with the value, if it is known. Its name is empty if `at` is the place of the value itself. */
  readonly from?: InputSource | undefined;
}

/** What breaks a rule. Texts never contain secrets. */
export interface Violation extends Origin {
  /** Starts at the root of the config. */
  readonly path: Path;
  /** Without the place. */
  readonly message: string;
  /** Replaces the hint of the rule. */
  readonly hint?: string | undefined;
  /** The line, and the column if it is known, in the text at the path. */
  readonly line?: number | undefined;
  readonly column?: number | undefined;
}

/** With the place in the message, too. */
export type LintFinding = Finding & Origin;

type Check = (subject: LintSubject, options: HostLintOptions) => Iterable<Violation>;

/** A rule whose message is that of each violation. */
export interface LintRule extends Omit<Rule, 'message'> {
  readonly check: Check;
}

export function rule(id: string, severity: Severity, hint: string, check: Check): LintRule {
  return { rule: id, severity, isLint: true, hint, check };
}

export function applyRules(
  rules: readonly LintRule[],
  subject: LintSubject,
  options: HostLintOptions,
): LintFinding[] {
  return rules.flatMap((one) =>
    Array.from(one.check(subject, options), (violation) => lintFinding(one, violation)),
  );
}

export function lintFinding(broken: Omit<LintRule, 'check'>, violation: Violation): LintFinding {
  const { rule: id, severity, isLint } = broken;
  const { hint = broken.hint, place } = violation;
  const message = place === undefined ? violation.message : `${place}: ${violation.message}`;
  return { rule: id, severity, ...(isLint && { isLint }), ...violation, message, hint };
}

/** A violation by a setting of a unit. */
export function atSetting(
  { line, name, path, unitName }: UnitSetting,
  message: string,
  hint?: string,
): Violation {
  return { path, line, place: `${unitName}: ${name}=`, message, hint };
}
