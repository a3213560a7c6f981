/**
 * Rules that the user turned off, by `--ignore` or in an inventory: their findings are neither shown nor counted. What
 * Ignition or the agent refuses stays an error.
 */

import { UsageError } from '../../core/errors.ts';
import { type Io, ioWith } from '../io.ts';
import type { Finding } from '../../core/finding.ts';
import { nearestNames } from './nearestNames.ts';
import { ruleBook } from './ruleBook.ts';

/** Why a rule cannot be turned off, and what to do. */
export interface IgnoreProblem {
  readonly message: string;
  readonly hint: string;
}

/** Undefined for the id of a rule that may be turned off. */
export function ignoreProblem(rule: string): IgnoreProblem | undefined {
  const book = ruleBook();
  const entry = book.get(rule);
  if (entry === undefined) {
    const nearest = nearestNames(rule, book.keys());
    return {
      message: `unknown rule ${JSON.stringify(rule.slice(0, 80))}`,
      hint: nearest.length > 0 ? `did you mean ${nearest.join(', ')}?` : 'list all rules with "explain"',
    };
  }
  if (entry.severity !== 'error') return undefined;
  return {
    message: `${rule} is an error and cannot be ignored: the machine would not start with it`,
    hint: `fix what it reports; "explain ${rule}" says how`,
  };
}

/** Ids from `--ignore`, with commas between them. Throws UsageError for one that cannot be turned off. */
export function parseIgnoredRules(texts: readonly string[]): readonly string[] {
  const rules = texts.flatMap((text) => text.split(',')).map((rule) => rule.trim().toLowerCase());
  for (const rule of rules) {
    const problem = ignoreProblem(rule);
    if (problem !== undefined) throw new UsageError(`--ignore: ${problem.message}`, { hint: problem.hint });
  }
  return rules.flatMap(sameRules);
}

/** The ids under which the same mistake is reported: `conf-url` in a conf, and `agent-conf-url` in a config that has it. */
function sameRules(rule: string): readonly string[] {
  const book = ruleBook();
  const anchor = book.get(rule)?.anchor;
  const same = [...book.values()].filter((entry) => entry.anchor === anchor && entry.severity !== 'error');
  return same.map(({ id }) => id);
}

/** The findings whose rules are not turned off. */
export function withoutIgnored<T extends Pick<Finding, 'rule'>>(
  findings: readonly T[],
  { ignored = [] }: Pick<Io, 'ignored'>,
): readonly T[] {
  return ignored.length === 0 ? findings : findings.filter(({ rule }) => !ignored.includes(rule));
}

/** The same `io`, with more rules turned off. */
export function ignoringRules(io: Io, rules: readonly string[]): Io {
  if (rules.length === 0) return io;
  return ioWith(io, { ignored: [...(io.ignored ?? []), ...rules.flatMap(sameRules)] });
}
