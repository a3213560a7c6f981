/**
 * How rules of the agent lint are declared, and how a check reports one that is broken. None is an error: Ignition takes
 * the config all the same, and whether that is good enough is for the user to say.
 */

import type { Rule, Issue } from '../../ignition/rule.ts';
import type { Path } from '../../core/finding.ts';

/** A rule whose breach keeps the agent from working, or gives a secret away. */
export function warning(id: string, message: string, hint: string): Rule {
  return { id, severity: 'warning', message, hint };
}

/** A rule whose breach may well be meant. */
export function note(id: string, message: string, hint: string): Rule {
  return { id, severity: 'info', message, hint };
}

/** What was found, in place of what the rule says in general. Never with a secret in it. */
export interface IssueTexts {
  readonly message?: string;
  readonly hint?: string;
}

/** A broken rule; `path` starts at the root of the config. */
export function broken(rule: Rule, path: Path, texts: IssueTexts = {}): Issue {
  return { rule, path, ...texts };
}
