/** `explain`: what a rule or the code of an error means, or which there are. */

import { UsageError } from '../../core/errors.ts';
import type { ExitCode, Io } from '../../io/io.ts';
import { writeStdout } from '../../io/stdout.ts';
import { formatExplanation, formatRuleList, formatRulesJson } from './explanation.ts';
import { nearestNames } from '../../io/report/choices.ts';
import { errorBook, type RuleEntry, ruleBook } from '../../io/report/ruleBook.ts';
import { parseTextOrJson } from '../../io/report/choices.ts';

export interface ExplainOptions {
  /** The id of a rule; without, all are listed. */
  readonly rule?: string | undefined;
  readonly format?: string | undefined;
}

/** @throws UsageError where there is no such rule */
export async function explain({ format, rule }: ExplainOptions, io: Io): Promise<ExitCode> {
  const form = parseTextOrJson(format);
  const all = [...ruleBook().values(), ...errorBook().values()];
  const entry = rule === undefined ? undefined : findRule(rule, all);
  const text =
    form === 'json'
      ? formatRulesJson(entry === undefined ? all : [entry])
      : entry === undefined
        ? formatRuleList(all)
        : formatExplanation(entry);
  await writeStdout(io, [Buffer.from(text)]);
  return 0;
}

function findRule(rule: string, all: readonly RuleEntry[]): RuleEntry {
  const wanted = rule.trim().toLowerCase();
  const entry = all.find(({ id }) => id.toLowerCase() === wanted);
  if (entry !== undefined) return entry;
  const nearest = nearestNames(
    rule,
    all.map(({ id }) => id),
  );
  const hint = nearest.length > 0 ? `did you mean ${nearest.join(', ')}?` : 'list them all with "explain"';
  throw new UsageError(`unknown rule: ${JSON.stringify(rule.slice(0, 80))}`, { hint });
}
