/**
 * Reports findings of the agent lint. Warnings are for findings that stop the agent from working or disclose a secret,
 * notes for findings that may be intended. No finding is an error, because Ignition accepts the config; the user decides
 * whether a warning matters.
 */

import type { Rule, Issue } from '../../ignition/rule.ts';
import type { Path } from '../../core/finding.ts';
import type { UnitSetting } from './subject.ts';

/** Texts for one finding, instead of the general texts of the rule. They never contain a secret. */
interface IssueTexts {
  /** What the finding is about; precedes the message. */
  readonly about?: string | undefined;
  readonly message?: string;
  readonly hint?: string;
}

/** A finding; `path` starts at the root of the config. */
export function broken(
  rule: Rule,
  path: Path,
  { about, message = rule.message, hint = rule.hint }: IssueTexts = {},
): Issue {
  return { rule, path, message: about === undefined ? message : `${about}: ${message}`, hint };
}

/** A finding about a setting of a unit, with the names of both in front of the message. */
export function brokenSetting(
  rule: Rule,
  { unitName, name, path }: UnitSetting,
  texts: Omit<IssueTexts, 'about'> = {},
): Issue {
  return broken(rule, path, { ...texts, about: `${unitName}: ${name}=` });
}
