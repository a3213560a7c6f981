/** How rules are declared, and how a check reports one that is broken. */

import type { Path } from '../../core/finding.ts';
import type { Issue, Rule } from '../rule.ts';
import type { Integer } from '../config.ts';

/** A rule whose breach makes Ignition refuse the config. */
export function refusal(id: string, message: string, hint: string): Rule {
  return { id, severity: 'error', message, hint };
}

/** A rule whose breach Ignition only remarks on. */
export function remark(id: string, message: string, hint: string): Rule {
  return { id, severity: 'warning', message, hint };
}

/** A broken rule; `hint` is for one that names what was found, in place of the rule's own. */
export function issue(rule: Rule, path: Path, hint?: string): Issue {
  return hint === undefined ? { rule, path } : { rule, path, hint };
}

const none: readonly Issue[] = [];

/** What a check reports: those of its parts that found something. */
export function found(...issues: readonly (Issue | undefined)[]): readonly Issue[] {
  return issues.some((one) => one !== undefined) ? issues.filter((one) => one !== undefined) : none;
}

const longestSuggestion = 120;

/** A hint that says what to write, unless that is too long to be read. */
export function suggest(text: string): string | undefined {
  return text.length > longestSuggestion ? undefined : `write ${JSON.stringify(text)}`;
}

/** Whether the field is there and not 0. */
export function isNonZero(value: Integer | undefined): value is Integer {
  return value !== undefined && BigInt(value) !== 0n;
}
