/** `explain`: what a rule means, or which rules there are. */

import { UsageError } from '../../core/errors.ts';
import type { ExitCode, Io } from '../../io/io.ts';
import { writeStdout } from '../../io/stdout.ts';
import { formatExplanation, formatRuleList, formatRulesJson } from './explanation.ts';
import { nearestNames, parseTextOrJson } from '../../io/report/choices.ts';
import { ruleBook, type RuleEntry } from '../../io/report/ruleBook.ts';

export interface ExplainOptions {
  /** The id of a rule; without, all are listed. */
  readonly rule?: string | undefined;
  readonly format?: string | undefined;
}

/** @throws UsageError where there is no such rule */
export async function explain({ format, rule }: ExplainOptions, io: Io): Promise<ExitCode> {
  const entry = rule === undefined ? undefined : findRule(rule);
  const all = ruleBook().values();
  const text =
    parseTextOrJson(format) === 'json'
      ? formatRulesJson(entry === undefined ? all : [entry])
      : entry === undefined
        ? formatRuleList(all)
        : formatExplanation(entry);
  await writeStdout(io, [Buffer.from(text)]);
  return 0;
}

function findRule(rule: string): RuleEntry {
  const book = ruleBook();
  const entry = book.get(rule.trim().toLowerCase());
  if (entry !== undefined) return entry;
  const nearest = nearestNames(rule, book.keys());
  const hint = nearest.length > 0 ? `did you mean ${nearest.join(', ')}?` : 'list them all with "explain"';
  throw new UsageError(`unknown rule: ${JSON.stringify(rule.slice(0, 80))}`, { hint });
}
