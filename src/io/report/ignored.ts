/** Rules that the user turns off: with `--ignore`, or for hosts in an inventory. */

import { quoteText } from '../../core/foreignText.ts';
import { UsageError } from '../../core/errors.ts';
import { type Io, ioWith } from '../io.ts';
import { type Diagnostic, hasErrors, type Problem, type Report } from '../../core/finding.ts';
import { nearestNames } from '../../core/nearestNames.ts';
import { explanationsIn } from './explanations.ts';

/** Why a rule cannot be turned off, and what to do: what Ignition refuses stays an error. Undefined where it can. */
export function ignoreProblem(rule: string): Required<Problem> | undefined {
  const rules = explanationsIn('rules');
  const entry = rules.find(({ id }) => id === rule);
  if (entry === undefined) {
    const nearest = nearestNames(
      rule,
      rules.map(({ id }) => id),
    );
    return {
      message: `unknown rule ${quoteText(rule)}`,
      hint:
        nearest.length > 0 ? `use ${nearest.join(' or ')}` : 'run "ironic-coreos explain" to list all rules',
    };
  }
  if (entry.isLint || entry.severity !== 'error') return undefined;
  return {
    message: `${rule} is an error and cannot be ignored: the input is refused, or a machine with it does not boot`,
    hint: `run "ironic-coreos explain ${rule}" for how to fix it`,
  };
}

/** Ids from `--ignore`, with commas between them. Throws UsageError for one that cannot be turned off. */
export function parseIgnoredRules(texts: readonly string[]): readonly string[] {
  const rules = texts.flatMap((text) => text.split(',')).map((rule) => rule.trim().toLowerCase());
  for (const rule of rules) {
    const problem = ignoreProblem(rule);
    if (problem !== undefined) throw new UsageError(`--ignore: ${problem.message}`, { hint: problem.hint });
  }
  return rules;
}

/** The findings whose rules are not turned off. */
export function withoutIgnored<T extends Pick<Diagnostic, 'rule'>>(
  findings: readonly T[],
  { ignored = [] }: Pick<Io, 'ignored'>,
): readonly T[] {
  return ignored.length === 0
    ? findings
    : findings.filter(({ rule }) => rule === undefined || !ignored.includes(rule));
}

/** The findings that are not ignored, and the verdict without the ignored ones. */
export function applyIgnored(findings: Report['findings'], io: Pick<Io, 'ignored'>): Report {
  const counted = withoutIgnored(findings, io);
  return { valid: !hasErrors(counted), findings: counted };
}

/** The same `io`, with more rules turned off. */
export function ignoringRules(io: Io, rules: readonly string[]): Io {
  if (rules.length === 0) return io;
  return ioWith(io, { ignored: [...(io.ignored ?? []), ...rules] });
}
