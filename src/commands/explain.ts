/** `explain`: what a rule means, or which rules there are. */

import { UsageError } from '../errors.ts';
import type { ExitCode, Io } from '../io/io.ts';
import { writeStdout } from '../io/stdout.ts';
import { formatExplanation, formatRuleList } from '../reporters/explanation.ts';
import { nearestNames } from '../reporters/nearestNames.ts';
import { ruleBook } from '../reporters/ruleBook.ts';

export interface ExplainOptions {
  /** The id of a rule; without, all are listed. */
  readonly rule?: string | undefined;
}

/** @throws UsageError where there is no such rule */
export async function explain({ rule }: ExplainOptions, io: Io): Promise<ExitCode> {
  const book = ruleBook();
  const text = rule === undefined ? formatRuleList(book.values()) : explainRule(rule);
  await writeStdout(io, [Buffer.from(text)]);
  return 0;
}

function explainRule(rule: string): string {
  const book = ruleBook();
  const entry = book.get(rule.trim().toLowerCase());
  if (entry !== undefined) return formatExplanation(entry);
  const nearest = nearestNames(rule, book.keys());
  const hint = nearest.length > 0 ? `did you mean ${nearest.join(', ')}?` : 'list them all with "explain"';
  throw new UsageError(`unknown rule: ${JSON.stringify(rule.slice(0, 80))}`, { hint });
}
