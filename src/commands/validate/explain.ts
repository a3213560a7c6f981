/** `explain`: explains the ids in reports, statuses and events, such as rules, error codes and causes, or lists all of them. */

import { quoteText, shorten } from '../../core/foreignText.ts';
import { UsageError } from '../../core/errors.ts';
import type { ExitCode, Io } from '../../io/io.ts';
import { writeStdout } from '../../io/stdout.ts';
import { groupBy } from '../../core/lists.ts';
import { nearestNames } from '../../core/nearestNames.ts';
import { parseTextOrJson } from '../../io/report/choices.ts';
import { type Example, type Explanation, explanations } from '../../io/report/explanations.ts';
import { wrapText } from '../../io/report/terminalText.ts';

export interface ExplainOptions {
  /** An id that a command prints; if absent, all are listed. */
  readonly rule?: string | undefined;
  readonly format?: string | undefined;
}

/** @throws UsageError if the id does not exist */
export async function explain({ format, rule }: ExplainOptions, io: Io): Promise<ExitCode> {
  const form = parseTextOrJson(format);
  const all = explanations();
  const entries = rule === undefined ? all : findEntries(rule, all);
  const text =
    form === 'json'
      ? formatRulesJson(entries)
      : rule === undefined
        ? formatRuleList(all)
        : entries.map(formatExplanation).join('\n');
  await writeStdout(io, [Buffer.from(text)]);
  return 0;
}

function findEntries(rule: string, all: readonly Explanation[]): readonly Explanation[] {
  const wanted = rule.trim().toLowerCase();
  const entries = all.filter(({ id }) => id.toLowerCase() === wanted);
  if (entries.length > 0) return entries;
  const ids = all.map(({ id }) => id);
  const nearest = nearestNames(rule, ids);
  const hint =
    nearest.length > 0 ? `use ${nearest.join(' or ')}` : 'list all IDs with "ironic-coreos explain"';
  throw new UsageError(`unknown ID: ${quoteText(rule)}`, { hint });
}

/** The meaning of a rule and its examples; the text ends with a line feed. */
export function formatExplanation(entry: Explanation): string {
  const { id, severity, versions, message, meaning, invalid, valid } = entry;
  const range = versions === 'all' ? '' : `, ${versions}`;
  return [
    `${id} (${nameSeverity(severity)}${range})`,
    ...wrapText(message, { first: '  ', rest: '  ' }),
    ...meaning.flatMap((paragraph) => ['', ...wrapText(paragraph, { first: '', rest: '' })]),
    ...formatExample('Invalid', invalid),
    ...formatExample('Valid', valid),
    '',
  ].join('\n');
}

/** Rules as a JSON list on one line; the schema is `schemas/explain.json`. */
function formatRulesJson(entries: Iterable<Explanation>): string {
  const rules = Array.from(entries, (entry) => ({ ...entry, severity: nameSeverity(entry.severity) }));
  return `${JSON.stringify(rules)}\n`;
}

/** All rules by group, one per line. */
function formatRuleList(entries: readonly Explanation[]): string {
  const groups = groupBy(entries, ({ group }) => group);
  const blocks = Array.from(groups, ([name, members]) => `${name}\n${members.map(formatLine).join('')}`);
  return blocks.join('\n');
}

/** In 80 columns. */
function formatLine({ id, message, severity }: Explanation): string {
  const start = `  ${id.padEnd(30)} ${nameSeverity(severity).padEnd(9)} `;
  const room = 80 - start.length;
  return `${start}${message.length > room ? shorten(message, room - 1) : message}\n`;
}

/** The names that the verdicts use. */
function nameSeverity(severity: string): string {
  return severity === 'info' ? 'note' : severity;
}

function formatExample(label: string, example: Example | undefined): readonly string[] {
  if (example === undefined) return [];
  const { text } = example;
  const lines = text === '' ? ['(nothing)'] : text.split('\n');
  return ['', `${label}:`, ...lines.map((line) => `  ${line}`.trimEnd())];
}
